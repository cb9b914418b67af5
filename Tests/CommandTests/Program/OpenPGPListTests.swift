import Glibc
import TestSupport
import Testing

/// Lists that GnuPG has signed; gpgv verifies them.
@Suite(.waiting) struct `A list with an OpenPGP signature` {
  private let place: Workplace
  private let server: ScriptedServer
  private static let a = Content.text("content of a")
  private static let b = Content.text("content of b")

  init() throws {
    place = try Workplace()
    server = try ScriptedServer(FileService(["/a": Self.a, "/b": Self.b]))
    try place.directory.write("SHA256SUMS", SignatureSamples.list)
    try place.directory.write("key.asc", OpenPGPSamples.key)
    try place.directory.write("other.asc", OpenPGPSamples.otherKey)
  }

  /// Downloads the list's files.
  private func run(_ arguments: String..., input: String? = nil) throws -> ProgramResult {
    var invocation = try place.invocation(["-d", "out", "--base-url", server.url("/")] + arguments)
    invocation.input = input.map { Array($0.utf8) }
    return try place.run(invocation)
  }

  private func expectDownload(_ result: ProgramResult) {
    #expect(result.status == 0, "\(result.told)")
    #expect(place.holds("out/a", Self.a) && place.holds("out/b", Self.b))
  }

  private func expectRefusal(_ result: ProgramResult, _ words: String...) {
    #expect(result.status == 2, "\(result.told)")
    for word in words { #expect(result.errorText.contains(word), "\(word) in \(result.told)") }
    #expect(server.requests.isEmpty && !place.names.contains("out"))
  }

  @Test(arguments: ["asc", "gpg", "sig", "sign"])
  func `beside it is used`(ending: String) throws {
    try place.directory.write("SHA256SUMS.\(ending)", OpenPGPSamples.signature)
    let result = try run("-v", "-i", "SHA256SUMS", "--verify-signature", "key.asc")
    expectDownload(result)
    #expect(
      result.errorText.contains(
        "swiftget: the list SHA256SUMS is signed by key \(OpenPGPSamples.fingerprint) of \(OpenPGPSamples.user)\n"),
      "\(result.told)")
  }

  @Test func `around it is used, also from standard input`() throws {
    try place.directory.write("CHECKSUM", OpenPGPSamples.signedList)
    expectDownload(try run("-i", "CHECKSUM", "--verify-signature", "key.asc"))
    expectDownload(
      try run("-i", "-", "--verify-signature", "key.asc", input: "words\n" + OpenPGPSamples.signedList + "more\n"))
  }

  @Test func `elsewhere is used`() throws {
    try place.directory.write("x", OpenPGPSamples.signature)
    let result = try run(
      "-i", "-", "--signature", "x", "--verify-signature", "key.asc", input: SignatureSamples.list)
    expectDownload(result)
  }

  @Test func `needs one of the given keys, of any kind`() throws {
    try place.directory.write("SHA256SUMS.asc", OpenPGPSamples.signature)
    expectRefusal(
      try run("-i", "SHA256SUMS", "--verify-signature", "other.asc"), "SHA256SUMS.asc: the signature is by key ",
      "which is not one of the given keys")
    let minisign = SignatureSamples.Minisign.keyLine
    expectDownload(
      try run(
        "-i", "SHA256SUMS", "--verify-signature", minisign, "--verify-signature", "other.asc", "--verify-signature",
        "key.asc"))
    // The first signature decides for which there is a key of its kind.
    try place.directory.write("SHA256SUMS.minisig", SignatureSamples.Minisign.signature)
    expectDownload(
      try run("-i", "SHA256SUMS", "--verify-signature", minisign, "--verify-signature", "other.asc"))
  }

  @Test func `is not one of another kind`() throws {
    expectRefusal(
      try run("-i", "SHA256SUMS", "--verify-signature", "key.asc"),
      "neither SHA256SUMS.asc, SHA256SUMS.gpg, SHA256SUMS.sig nor SHA256SUMS.sign exists")
    expectRefusal(
      try run(
        "-i", "SHA256SUMS", "--verify-signature", "key.asc", "--verify-signature", SignatureSamples.Signify.keyLine),
      "neither SHA256SUMS.minisig, SHA256SUMS.asc, SHA256SUMS.gpg, SHA256SUMS.sig nor SHA256SUMS.sign exists")
    try place.directory.write("SHA256SUMS.sig", SignatureSamples.Signify.signature)
    expectRefusal(
      try run("-i", "SHA256SUMS", "--verify-signature", "key.asc"),
      "SHA256SUMS.sig: a signature of minisign or signify, and no given key is one of these")
    try place.directory.write("SHA256SUMS.sig", OpenPGPSamples.signature)
    expectRefusal(
      try run("-i", "SHA256SUMS", "--verify-signature", SignatureSamples.Signify.keyLine),
      "SHA256SUMS.sig: a signature of OpenPGP, and no given key is one of OpenPGP")
    try place.directory.write("CHECKSUM", OpenPGPSamples.signedList)
    expectRefusal(
      try run("-i", "CHECKSUM", "--verify-signature", SignatureSamples.Signify.keyLine),
      "the list CHECKSUM: a signature of OpenPGP")
    try place.directory.write("SHA256SUMS.asc", OpenPGPSamples.signedList)
    expectRefusal(
      try run("-i", "SHA256SUMS", "--verify-signature", "key.asc"),
      "SHA256SUMS.asc: the file is not a detached signature",
      "-i")
    try place.directory.write("SHA256SUMS.asc", "<html>")
    expectRefusal(
      try run("-i", "SHA256SUMS", "--verify-signature", "key.asc"),
      "SHA256SUMS.asc: not a signature of minisign, signify or OpenPGP")
  }

  @Test func `is for the list as it is`() throws {
    try place.directory.write("SHA256SUMS.asc", OpenPGPSamples.signature)
    try place.directory.write("SHA256SUMS", SignatureSamples.list + "\n")
    expectRefusal(
      try run("-i", "SHA256SUMS", "--verify-signature", "key.asc"), "SHA256SUMS.asc: the signature by key ",
      "does not match the list")
    try place.directory.write("CHECKSUM", OpenPGPSamples.signedList.replacing("  b\n", with: "  c\n"))
    expectRefusal(
      try run("-i", "CHECKSUM", "--verify-signature", "key.asc"), "the list CHECKSUM: the signature by key ",
      "does not match the list")
  }

  @Test func `is by a key that is still valid`() throws {
    try place.directory.write("SHA256SUMS.asc", OpenPGPSamples.revokedSignature)
    try place.directory.write("revoked.asc", OpenPGPSamples.revokedKey)
    expectRefusal(try run("-i", "SHA256SUMS", "--verify-signature", "revoked.asc"), "was revoked")
    try place.directory.write("SHA256SUMS.asc", OpenPGPSamples.signatureOfExpiredKey)
    try place.directory.write("expired.asc", OpenPGPSamples.expiredKey)
    expectRefusal(try run("-i", "SHA256SUMS", "--verify-signature", "expired.asc"), "which has expired")
    try place.directory.write("SHA256SUMS.asc", OpenPGPSamples.expiredSignature)
    expectRefusal(try run("-i", "SHA256SUMS", "--verify-signature", "key.asc"), "has expired")
  }

  /// What gpgv does not call signed is no part of the list, although it would be without the option.
  @Test func `around it hides no other lines`() throws {
    let more = SignatureSamples.list.replacing("  a", with: "  x")
    try place.directory.write("CHECKSUM", OpenPGPSamples.signedList + more)
    try Self.a.write(to: place.directory.path("a"))
    try Self.b.write(to: place.directory.path("b"))
    let signed = try place.run("--check", "-i", "CHECKSUM", "--verify-signature", "key.asc")
    #expect(signed.status == 0 && signed.outputText == "a: OK\nb: OK\n", "\(signed.told)")
    let unsigned = try place.run("--check", "-i", "CHECKSUM")
    #expect(unsigned.outputText.contains("x: FAILED"), "\(unsigned.told)")
  }

  @Test func `needs gpgv`() throws {
    try place.directory.write("SHA256SUMS.asc", OpenPGPSamples.signature)
    var invocation = try place.invocation(["-i", "SHA256SUMS", "--verify-signature", "key.asc"])
    invocation.environment["PATH"] = "/nonexistent"
    let result = try place.run(invocation)
    expectRefusal(result, "gpgv is not installed", "hint: install the package gpgv")
  }

  /// Few descriptors, a closed standard input, and a parent that ignores the end of its children.
  @Test func `is verified under awkward conditions`() throws {
    try place.directory.write("SHA256SUMS.asc", OpenPGPSamples.signature)
    var invocation = try place.invocation([
      "-d", "out", "--base-url", server.url("/"), "-i", "SHA256SUMS", "--verify-signature", "key.asc",
    ])
    invocation.descriptorLimit = 64
    invocation.closedDescriptors = [0]
    expectDownload(try place.run(invocation))
    invocation.descriptorLimit = nil
    invocation.closedDescriptors = []
    invocation.arguments = ["-c", "trap '' CHLD; exec \"$0\" \"$@\"", invocation.path] + invocation.arguments
    invocation.path = "/bin/sh"
    expectDownload(try place.run(invocation))
  }

  @Test func `shows no secret key`() throws {
    try place.directory.write("SHA256SUMS.asc", OpenPGPSamples.signature)
    try place.directory.write("secret", OpenPGPSamples.key.replacing("PUBLIC", with: "PRIVATE"))
    let result = try run("-i", "SHA256SUMS", "--verify-signature", "secret")
    expectRefusal(result, "--verify-signature: secret is a private key")
    #expect(!result.errorText.contains("mDME"))
  }
}

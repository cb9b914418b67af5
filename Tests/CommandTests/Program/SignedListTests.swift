import Glibc
import TestSupport
import Testing

/// An unsigned or wrongly signed list starts nothing.
@Suite(.waiting) struct `A signed list` {
  private let place: Workplace
  private let server: ScriptedServer
  private static let a = Content.text("content of a")
  private static let b = Content.text("content of b")

  init() throws {
    place = try Workplace()
    server = try ScriptedServer(FileService(["/a": Self.a, "/b": Self.b, "/c": Self.a]))
    try place.directory.write("SHA256SUMS", SignatureSamples.list)
    try place.directory.write("minisign.pub", SignatureSamples.Minisign.key)
    try place.directory.write("signify.pub", SignatureSamples.Signify.key)
  }

  /// Downloads the list's files.
  private func run(_ arguments: String..., input: String? = nil) throws -> ProgramResult {
    var invocation = try place.invocation(["-d", "out", "--base-url", server.url("/")] + arguments)
    invocation.input = input.map { Array($0.utf8) }
    return try place.run(invocation)
  }

  private func expectDownload(_ result: ProgramResult, _ comment: Comment? = nil) {
    #expect(result.status == 0, "\(comment ?? "") \(result.told)")
    #expect(place.holds("out/a", Self.a) && place.holds("out/b", Self.b), comment)
  }

  /// - Parameter words: in the message.
  private func expectRefusal(_ result: ProgramResult, _ words: String..., comment: Comment? = nil) {
    #expect(result.status == 2, "\(comment ?? "") \(result.told)")
    for word in words { #expect(result.errorText.contains(word), "\(comment ?? "") \(word) in \(result.told)") }
    #expect(server.requests.isEmpty && !place.names.contains("out"), comment)
  }

  @Test(arguments: ["minisign.pub", SignatureSamples.Minisign.keyLine], [false, true])
  func `by minisign is used`(key: String, isLegacy: Bool) throws {
    try place.directory.write(
      "SHA256SUMS.minisig",
      isLegacy ? SignatureSamples.Minisign.legacySignature : SignatureSamples.Minisign.signature)
    expectDownload(try run("-i", "SHA256SUMS", "--verify-signature", key))
  }

  @Test func `by signify is used, with the signature beside it or before it`() throws {
    try place.directory.write("SHA256SUMS.sig", SignatureSamples.Signify.signature)
    expectDownload(try run("-i", "SHA256SUMS", "--verify-signature", "signify.pub"))
    try place.directory.write("SHA256.sig", SignatureSamples.Signify.signedList)
    let result = try place.run(
      "--check", "-d", "out", "-i", "SHA256.sig", "--verify-signature", SignatureSamples.Signify.keyLine)
    #expect(result.status == 0 && result.outputText == "a: OK\nb: OK\n", "\(result.told)")
  }

  @Test func `is told with -v`() throws {
    try place.directory.write("SHA256SUMS.minisig", SignatureSamples.Minisign.signature)
    let result = try run("-v", "-i", "SHA256SUMS", "--verify-signature", "minisign.pub")
    #expect(
      result.errorText.contains(
        "swiftget: the list SHA256SUMS is signed by key \(SignatureSamples.Minisign.identifier); "
          + "trusted comment: \(SignatureSamples.Minisign.comment)\n"), "\(result.told)")
    #expect(!(try run("-i", "SHA256SUMS", "--verify-signature", "minisign.pub").errorText.contains("signed")))
  }

  @Test func `needs one of the given keys`() throws {
    try place.directory.write("SHA256SUMS.minisig", SignatureSamples.Minisign.signature)
    let other = SignatureSamples.Minisign.otherKeyLine
    expectRefusal(
      try run("-i", "SHA256SUMS", "--verify-signature", other, "--verify-signature", "signify.pub"),
      "SHA256SUMS.minisig: the signature is by key \(SignatureSamples.Minisign.identifier)",
      SignatureSamples.Minisign.otherIdentifier, SignatureSamples.Signify.identifier)
    expectDownload(
      try run("-i", "SHA256SUMS", "--verify-signature", other, "--verify-signature", "minisign.pub"))
  }

  @Test func `without its signature is refused`() throws {
    expectRefusal(
      try run("-i", "SHA256SUMS", "--verify-signature", "minisign.pub"),
      "the list SHA256SUMS is not signed: neither SHA256SUMS.minisig nor SHA256SUMS.sig exists", "--signature FILE")
    expectRefusal(
      try run("-i", "-", "--verify-signature", "minisign.pub", input: SignatureSamples.list),
      "the list from standard input is not signed")
    let check = try place.run("--check", "-i", "SHA256SUMS", "--verify-signature", "minisign.pub")
    #expect(check.status == 2 && check.output.isEmpty, "\(check.told)")
  }

  @Test func `by minisign needs its trusted comment, without which it looks like one by signify`() throws {
    let lines = SignatureSamples.Minisign.legacySignature.split(separator: "\n").prefix(2)
    try place.directory.write("SHA256SUMS.minisig", lines.joined(separator: "\n") + "\n")
    expectRefusal(
      try run("-i", "SHA256SUMS", "--verify-signature", "minisign.pub"),
      "SHA256SUMS.minisig: the trusted comment and its signature are missing")
  }

  @Test func `that was changed is refused`() throws {
    try place.directory.write("SHA256SUMS.minisig", SignatureSamples.Minisign.signature)
    try place.directory.write("SHA256SUMS", SignatureSamples.list + "\(try Self.a.hexDigest())  c\n")
    expectRefusal(
      try run("-i", "SHA256SUMS", "--verify-signature", "minisign.pub"),
      "SHA256SUMS.minisig: the signature by key \(SignatureSamples.Minisign.identifier) does not match the list")
    try place.directory.write(
      "SHA256.sig", SignatureSamples.Signify.signedList.replacing("  b\n", with: "  c\n"))
    expectRefusal(
      try run("-i", "SHA256.sig", "--verify-signature", "signify.pub"),
      "the list SHA256.sig: the signature by key \(SignatureSamples.Signify.identifier) does not match the list")
  }

  @Test func `beside an unsigned one is not enough`() throws {
    try place.directory.write("SHA256SUMS.minisig", SignatureSamples.Minisign.signature)
    try place.directory.write("other", "\(server.url("/a"))\n")
    expectRefusal(
      try run("-i", "SHA256SUMS", "-i", "other", "--verify-signature", "minisign.pub"), "the list other is not signed")
    expectRefusal(
      try run("-i", "other", "-i", "SHA256SUMS", "--verify-signature", "minisign.pub"), "the list other is not signed")
    // URLs of the command line need no signature.
    expectDownload(try run("-i", "SHA256SUMS", "--verify-signature", "minisign.pub", server.url("/c")))
    #expect(place.holds("out/c", Self.a))
  }

  @Test func `may have its signature elsewhere`() throws {
    try place.directory.makeDirectory("keys")
    try place.directory.write("keys/x", SignatureSamples.Minisign.signature)
    expectDownload(
      try run("-i", "SHA256SUMS", "--signature", "keys/x", "--verify-signature", "minisign.pub"))
    let fromInput = try run(
      "-i", "-", "--signature", "keys/x", "--verify-signature", "minisign.pub", input: SignatureSamples.list)
    expectDownload(fromInput)
    let embedded = try run(
      "-i", "-", "--verify-signature", "signify.pub", input: SignatureSamples.Signify.signedList)
    expectDownload(embedded)
  }

  @Test func `needs the named signature, whatever is beside it`() throws {
    try place.directory.write("SHA256SUMS.minisig", SignatureSamples.Minisign.signature)
    let arguments = ["-i", "SHA256SUMS", "--verify-signature", "minisign.pub"]
    func refused(_ name: String, _ words: String) throws {
      let result = try place.run(place.invocation(arguments + ["--signature", name]))
      expectRefusal(result, words)
    }
    try refused("missing", "--signature: cannot read missing: No such file or directory")
    try refused(".", "--signature: cannot read .: Is a directory")
    try refused("minisign.pub", "minisign.pub: line 2 is not a signature of minisign or signify")
    try refused("/dev/zero", "--signature: /dev/zero has more than 1048576 bytes")
  }

  @Test func `is not looked for further where a wrong signature is beside it`() throws {
    try place.directory.write("SHA256SUMS.minisig", "<html>")
    try place.directory.write("SHA256SUMS.sig", SignatureSamples.Signify.signature)
    expectRefusal(
      try run("-i", "SHA256SUMS", "--verify-signature", "signify.pub"), "SHA256SUMS.minisig: not a signature")
  }

  /// The bytes that were verified are the bytes that are read.
  @Test func `may change after it was verified`() throws {
    let path = place.directory.path("SHA256SUMS")
    let server = try ScriptedServer { request in
      unlink(path)
      try? Content.text("https://example.org/evil\n").write(to: path)
      return FileService(["/a": Self.a, "/b": Self.b]).steps(for: request)
    }
    try place.directory.write("SHA256SUMS.minisig", SignatureSamples.Minisign.signature)
    let result = try place.run(
      "-d", "out", "-j", "1", "--base-url", server.url("/"), "-i", "SHA256SUMS", "--verify-signature", "minisign.pub")
    expectDownload(result)
  }

  @Test func `may be a pipe`() throws {
    try place.directory.write("SHA256SUMS.minisig", SignatureSamples.Minisign.signature)
    #expect(mkfifo(place.directory.path("pipe"), 0o600) == 0)
    var invocation = try place.invocation([
      "-c", "cat SHA256SUMS >pipe & exec \"$0\" \"$@\"", try swiftgetPath(), "-d", "out", "--base-url", server.url("/"),
      "-i", "pipe", "--signature", "SHA256SUMS.minisig", "--verify-signature", "minisign.pub",
    ])
    invocation.arguments.removeFirst(Workplace.patience.count)
    invocation.path = "/bin/sh"
    expectDownload(try place.run(invocation))
  }

  @Test func `needs keys that can be read`() throws {
    try place.directory.write("SHA256SUMS.minisig", SignatureSamples.Minisign.signature)
    func refused(_ key: String, _ words: String...) throws {
      let result = try run("-i", "SHA256SUMS", "--verify-signature", "minisign.pub", "--verify-signature", key)
      expectRefusal(result)
      for word in words { #expect(result.errorText.contains(word), "\(result.told)") }
    }
    try refused("missing", "--verify-signature: cannot read missing: No such file", "begins with RW")
    try refused("SHA256SUMS", "--verify-signature: SHA256SUMS is not a public key")
    try refused("SHA256SUMS.minisig", "SHA256SUMS.minisig is a signature, not a key")
    try place.directory.write("cut", String(SignatureSamples.Minisign.key.dropLast(5)))
    try refused("cut", "cut is a damaged public key")
  }

  /// A secret key that is given in place of a public one.
  @Test func `shows no secret key`() throws {
    let secret = "RWRCSwAAAABMDV5OMx85VVgsrEXFQtdp" + String(repeating: "Sec7ret+", count: 13)
    try place.directory.write("key", "untrusted comment: x\n\(secret)\n")
    for key in [secret, "key"] {
      let result = try run("-i", "SHA256SUMS", "--verify-signature", key)
      expectRefusal(result, "--verify-signature")
      #expect(!result.errorText.contains("Sec7ret") && !result.errorText.contains("RWRCSw"), "\(result.told)")
    }
  }
}

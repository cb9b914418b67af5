import DownloadCore
import DownloadSignatures
import TestSupport
import Testing

@testable import DownloadWords

@Suite struct `Words of signatures` {
  private let key: Ed25519Key
  private let given: [KeyIdentifier]

  init() throws {
    key = try #require(Ed25519Key(text: Array(SignatureSamples.Minisign.keyLine.utf8)))
    given = [key.identifier, try #require(Ed25519Key(text: Array(SignatureSamples.Signify.keyLine.utf8))).identifier]
  }

  @Test func `say why a signature is refused`() {
    let identifier = key.identifier
    let samples: [Sample<SignatureFault>] =
      (1...4).map { Sample(.malformedLine(number: $0), "line \($0)") }
      + [
        Sample(.missingTrustedComment, "missing"), Sample(.containsText, "signed text"), Sample(.lacksText, "without"),
        Sample(.trailingText, "follows"), Sample(.unknownKey(identifier), identifier.text),
        Sample(.wrongSignature(identifier), identifier.text, "list"),
        Sample(.wrongTrustedComment(identifier), identifier.text, "trusted comment"),
        Sample(.uncomputable, "OpenSSL"),
      ]
    for sample in samples {
      let error = SignatureMessages.error(sample.value, of: "f.sig", given: given)
      Wording.check(error.message, hint: error.hint(), facts: sample.facts + ["f.sig: "], "\(sample.value)")
      #expect(error.code == .usage && error.hint() != nil)
    }
    let unknown = SignatureMessages.error(.unknownKey(identifier), of: "f.sig", given: given)
    #expect(unknown.hint()?.contains(SignatureSamples.Signify.identifier) == true)
  }

  @Test(arguments: [
    OpenPGPFault.unknownKey("1A"), .wrongSignature("1A"), .expiredSignature("1A"), .expiredKey("1A"), .revokedKey("1A"),
    .weakDigest("1A"), .uncheckable("1A"), .noSignature, .severalTexts, .refused(status: 2), .refused(status: nil),
    .missing, .unusable(errno: 13), .tooLong,
  ])
  func `say why gpgv does not vouch for a list`(fault: OpenPGPFault) {
    let error = SignatureMessages.error(fault, of: "f.asc")
    Wording.check(error.message, hint: error.hint(), facts: ["f.asc: "], "\(fault)")
    #expect(error.code == .usage && error.hint() != nil)
    if case .refused(let status?) = fault { #expect(error.message.contains("status \(status)")) }
    if "\(fault)".contains("1A") { #expect(error.message.contains("key 1A")) }
  }

  @Test(arguments: SignatureForm.allCases) func `say which kind of key is missing`(form: SignatureForm) {
    let error = SignatureMessages.misfit(form, of: "f.sig")
    Wording.check(error.message, hint: error.hint(), facts: ["f.sig: ", "signature"], "\(form)")
    #expect(error.code == .usage && error.hint() != nil)
  }

  @Test(arguments: KeyFault.allCases) func `say why a key is refused`(fault: KeyFault) {
    Wording.check("f " + SignatureMessages.message(fault), facts: ["key"], "\(fault)")
    #expect(SignatureMessages.hint(fault).contains("key") || SignatureMessages.hint(fault).contains("KEY"))
  }

  @Test func `say what a list lacks`() {
    let error = SignatureMessages.unsigned("l", names: ["l.minisig", "l.sig"])
    Wording.check(
      error.message, hint: error.hint(), facts: ["the list l is not signed", "neither l.minisig nor l.sig"], "unsigned")
    let input = SignatureMessages.unsigned("from standard input", names: [])
    Wording.check(input.message, hint: input.hint(), facts: ["standard input"], "unsigned input")
    let bag = SignatureMessages.unsignedBag("b")
    Wording.check(bag.message, hint: bag.hint(), facts: ["the bag b is not signed"], "a bag")
    Wording.check(SignatureMessages.tooLong("l", mostBytes: 1 << 30).message, facts: ["l", "1 GiB"], "too long")
  }

  @Test func `show a trusted comment without control characters`() throws {
    let signature = try Ed25519Signature(
      detached: Array(SignatureSamples.Minisign.signature.utf8), needsTrustedComment: true)
    let verified = try Array(SignatureSamples.list.utf8).withUnsafeBytes { try signature.verify($0, with: [key]) }
    let text = SignatureMessages.verified("l", .ed25519(verified)).text
    #expect(text.contains("the list l is signed by key \(SignatureSamples.Minisign.identifier)"))
    #expect(text.hasSuffix("; trusted comment: \(SignatureSamples.Minisign.comment)\n"))
  }
}

import DownloadCore
import TestSupport
import Testing

@testable import DownloadSignatures

@Suite struct `Keys of OpenPGP` {
  private func fault(_ text: String) -> KeyFault? { fault(Array(text.utf8)) }

  private func fault(_ bytes: [UInt8]) -> KeyFault? {
    do throws(KeyFault) { _ = try VerificationKey(file: bytes) } catch { return error }
    return nil
  }

  private func bytes(_ text: String) throws -> [UInt8] {
    guard case .openPGP(let keyring) = try VerificationKey(file: Array(text.utf8)) else { return [] }
    return keyring.bytes
  }

  @Test func `are read with and without armor`() throws {
    let key = try bytes(OpenPGPSamples.key)
    #expect(key.count == 216 && key.first == 0x98)
    #expect(try VerificationKey(file: key) == .openPGP(OpenPGPKeyring(file: key)))
    let other = try bytes(OpenPGPSamples.otherKey)
    #expect(try bytes("two keys\n" + OpenPGPSamples.key + "\n" + OpenPGPSamples.otherKey) == key + other)
    let changed = OpenPGPSamples.key.replacing("\n\n", with: "\nComment: x: y\nVersion: 1\n  \n")
    #expect(try bytes(changed.replacing("\n", with: " \r\n")) == key)
    let lines = OpenPGPSamples.key.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(try bytes(lines.filter { !$0.hasPrefix("=") }.joined(separator: "\n")) == key)
    let keybox = [0, 0, 0, 0x20, 1, 1, 0, 2] + Array("KBXf".utf8) + [UInt8](repeating: 0, count: 20)
    #expect(try VerificationKey(file: keybox) == .openPGP(OpenPGPKeyring(file: keybox)))
  }

  @Test func `are whole and public`() {
    let key = OpenPGPSamples.key
    #expect(fault(String(key.dropLast(40))) == .damaged && fault(String(key.prefix(60))) == .damaged)
    #expect(fault(key.replacing("mDME", with: "m!ME")) == .damaged)
    #expect(fault("-----BEGIN PGP PUBLIC KEY BLOCK-----\n-----END PGP PUBLIC KEY BLOCK-----\n") == .damaged)
    #expect(fault("-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n-----END PGP PUBLIC KEY BLOCK-----\n") == .damaged)
    #expect(fault(key.replacing("PUBLIC", with: "PRIVATE")) == .secretKey)
    #expect(fault([0x95, 1, 2]) == .secretKey && fault([0xc5, 1, 2]) == .secretKey)
    #expect(fault(key + key.replacing("PUBLIC", with: "PRIVATE")) == .secretKey)
    #expect(fault(OpenPGPSamples.signature) == .signature && fault([0x88, 0x75, 4]) == .signature)
    #expect(fault([0xff, 0xfe, 0x2d]) == .unknownForm && fault([0x80]) == .unknownForm)
  }

  @Test func `with random bytes are refused or decoded`() {
    let alphabet = Array("-BEGINPUBLICKEY=\r\n /+\0\u{80}".utf8)
    let isFruitful = Fuzz.run { generator, seed in
      let text = generator.mutate(Array(OpenPGPSamples.key.utf8), alphabet: alphabet)
      guard case .openPGP(let keyring)? = try? VerificationKey(file: text) else { return false }
      #expect(!keyring.bytes.isEmpty, "seed \(seed)")
      return true
    }
    #expect(isFruitful)
  }
}

@Suite struct `The form of a signature` {
  @Test(arguments: [
    (SignatureSamples.Minisign.signature, SignatureForm.ed25519), (SignatureSamples.Signify.signedList, .ed25519),
    (OpenPGPSamples.signature, .openPGP), ("words\r\n" + OpenPGPSamples.signature, .openPGP),
    (OpenPGPSamples.signedList, .signedMessage), ("\n\n" + OpenPGPSamples.signedList, .signedMessage),
    (OpenPGPSamples.message, .other), (SignatureSamples.list, .other), ("", .other),
    ("-----BEGIN SSH SIGNATURE-----\n", .other), ("x -----BEGIN PGP SIGNATURE-----\n", .other),
  ])
  func `is told by its first bytes`(text: String, form: SignatureForm) {
    #expect(SignatureForm(Array(text.utf8)) == form)
  }

  @Test func `is told by its first packet`() {
    #expect(SignatureForm([0x88, 0x75, 4]) == .openPGP && SignatureForm([0xc2, 0x75, 4]) == .openPGP)
    // A message in packets, and a key.
    #expect(SignatureForm([0x90, 0x0d]) == .other && SignatureForm([0x98, 0x33]) == .other)
  }
}

import DownloadCore
import TestSupport
import Testing

@testable import DownloadSignatures

@Suite struct `Keys of signatures` {
  private func fault(_ text: String) -> KeyFault? {
    do throws(KeyFault) { _ = try VerificationKey(file: Array(text.utf8)) } catch { return error }
    return nil
  }

  @Test(arguments: [
    (SignatureSamples.Minisign.key, SignatureSamples.Minisign.keyLine, SignatureSamples.Minisign.identifier),
    (SignatureSamples.Signify.key, SignatureSamples.Signify.keyLine, SignatureSamples.Signify.identifier),
  ])
  func `are read from their files and lines`(file: String, line: String, identifier: String) throws {
    let key = try #require(Ed25519Key(text: Array(line.utf8)))
    #expect(key.identifier.text == identifier && key.bytes.count == 32)
    for text in [file, line, line + "\n", file.replacing("\n", with: "\r\n"), "untrusted comment: \n\(line)\n\n"] {
      #expect(try VerificationKey(file: Array(text.utf8)) == .ed25519(key), "\(text)")
    }
  }

  @Test func `need all of their characters`() {
    let line = Array(SignatureSamples.Minisign.keyLine.utf8)
    for count in line.indices { #expect(Ed25519Key(text: line[..<count]) == nil) }
    #expect(Ed25519Key(text: line + Array("=".utf8)) == nil && Ed25519Key(text: line + line) == nil)
    #expect(Ed25519Key(text: Array("RW".utf8) + line.dropFirst(2)) != nil)
    #expect(Ed25519Key(text: Array("RU".utf8) + line.dropFirst(2)) == nil)
  }

  @Test func `are told from other files`() {
    let comment = "untrusted comment: x\n"
    // As long as those of signify and minisign.
    let secrets = [104, 158].map { count in
      Self.base64([UInt8](Array("Ed".utf8) + [UInt8](repeating: 7, count: count - 2)))
    }
    for secret in secrets {
      #expect(fault(comment + secret + "\n") == .secretKey)
      #expect(fault(secret) == .secretKey)
    }
    #expect(fault(SignatureSamples.Minisign.signature) == .signature)
    #expect(fault(SignatureSamples.Signify.signature) == .signature)
    #expect(fault(comment) == .damaged && fault(comment + "RWSe+Nq8") == .damaged && fault(comment + "?") == .damaged)
    #expect(fault(SignatureSamples.Minisign.key + "more") == .damaged)
    #expect(fault("") == .unknownForm && fault("ssh-ed25519 AAAA x\n") == .unknownForm && fault("AAAA") == .unknownForm)
  }

  private static func base64(_ bytes: [UInt8]) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    var text = ""
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = Array(bytes[start..<min(start + 3, bytes.count)])
      let value = (group + [0, 0]).prefix(3).reduce(0) { $0 << 8 | Int($1) }
      for index in 0...3 { text.append(index <= group.count ? alphabet[value >> (18 - 6 * index) & 63] : "=") }
    }
    return text
  }

  @Test func `with random bytes are refused or whole`() {
    let alphabet = Array("RWE+/=\r\n untrusted comment:\0\u{80}".utf8)
    let isFruitful = Fuzz.run { generator, seed in
      let bytes = generator.mutate(Array(SignatureSamples.Minisign.key.utf8), alphabet: alphabet)
      guard case .ed25519(let key)? = try? VerificationKey(file: bytes) else { return false }
      #expect(key.identifier.bytes.count == 8 && key.bytes.count == 32, "seed \(seed)")
      return true
    }
    #expect(isFruitful)
  }
}

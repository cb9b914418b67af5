import DownloadCore
import TestSupport
import Testing

@testable import DownloadSignatures

@Suite struct `Signatures of minisign and signify` {
  private static let list = Array(SignatureSamples.list.utf8)
  static let keys = [
    SignatureSamples.Minisign.keyLine, SignatureSamples.Minisign.otherKeyLine, SignatureSamples.Signify.keyLine,
  ].map { Ed25519Key(text: Array($0.utf8))! }

  enum Form: CaseIterable {
    case minisign, legacy, signify, embedded

    var text: [UInt8] {
      switch self {
      case .minisign: Array(SignatureSamples.Minisign.signature.utf8)
      case .legacy: Array(SignatureSamples.Minisign.legacySignature.utf8)
      case .signify: Array(SignatureSamples.Signify.signature.utf8)
      case .embedded: Array(SignatureSamples.Signify.signedList.utf8)
      }
    }

    /// Bytes of the untrusted comment, which nothing signs.
    var unsigned: Range<Int> { Ed25519Signature.untrustedPrefix.count..<text.firstIndex(of: 0x0a)! }
  }

  /// - Parameter list: the signed text, where it is not in `signature`.
  private static func verified(
    _ form: Form, _ signature: [UInt8], list: [UInt8] = list, keys: [Ed25519Key] = keys
  ) throws(SignatureFault) -> Ed25519Signature.Verified {
    var text = list
    let parsed: Ed25519Signature
    if form == .embedded {
      let (found, start) = try Ed25519Signature.embedded(in: Array(signature.prefix(4096)))
      (parsed, text) = (found, Array(signature[start...]))
    } else {
      parsed = try Ed25519Signature(detached: signature, needsTrustedComment: form == .minisign || form == .legacy)
    }
    let result = text.withUnsafeBytes { bytes in
      Result { () throws(SignatureFault) in try parsed.verify(bytes, with: keys) }
    }
    return try result.get()
  }

  private static func fault(
    _ form: Form, _ signature: [UInt8], list: [UInt8] = list, keys: [Ed25519Key] = keys
  ) -> SignatureFault? {
    do throws(SignatureFault) { _ = try verified(form, signature, list: list, keys: keys) } catch { return error }
    return nil
  }

  @Test func `of minisign are verified with their trusted comment`() throws {
    let verified = try Self.verified(.minisign, Form.minisign.text)
    #expect(verified.key.text == SignatureSamples.Minisign.identifier)
    #expect(verified.trustedComment == Array(SignatureSamples.Minisign.comment.utf8))
    let legacy = try Self.verified(.legacy, Form.legacy.text)
    #expect(legacy.trustedComment == Array("\(SignatureSamples.Minisign.comment) legacy".utf8))
  }

  @Test(arguments: [Form.signify, .embedded])
  func `of signify are verified`(form: Form) throws {
    let verified = try Self.verified(form, form.text)
    #expect(verified.key.text == SignatureSamples.Signify.identifier && verified.trustedComment == nil)
  }

  @Test(arguments: Form.allCases) func `are refused with any bit changed`(form: Form) {
    for index in form.text.indices where !form.unsigned.contains(index) {
      for bit in 0..<8 {
        var changed = form.text
        changed[index] ^= 1 << bit
        #expect(Self.fault(form, changed) != nil, "bit \(bit) of byte \(index)")
      }
    }
  }

  @Test(arguments: Form.allCases) func `are refused where the end is missing`(form: Form) {
    // The last line end may be missing, but not that of a signed text.
    let mostBytes = form == .embedded ? form.text.count : form.text.count - 1
    for count in 0..<mostBytes {
      #expect(Self.fault(form, Array(form.text.prefix(count))) != nil, "\(count) bytes")
    }
  }

  @Test(arguments: [Form.minisign, .legacy, .signify]) func `are refused for any other list`(form: Form) {
    for index in Self.list.indices {
      var changed = Self.list
      changed[index] ^= 1
      guard case .wrongSignature = Self.fault(form, form.text, list: changed) else {
        Issue.record("byte \(index)")
        continue
      }
      #expect(Self.fault(form, form.text, list: Array(Self.list.prefix(index))) != nil)
    }
    #expect(Self.fault(form, form.text, list: Self.list + [0x0a]) != nil)
    #expect(Self.fault(form, form.text, list: []) != nil)
  }

  @Test(arguments: Form.allCases) func `need the key that made them`(form: Form) throws {
    let signer = try Self.verified(form, form.text).key
    let others = Self.keys.filter { $0.identifier != signer }
    #expect(Self.fault(form, form.text, keys: others) == .unknownKey(signer))
    #expect(Self.fault(form, form.text, keys: []) == .unknownKey(signer))
    #expect(try Self.verified(form, form.text, keys: others + Self.keys).key == signer)
  }

  /// Two keys may have the same identifier, which anybody can choose.
  @Test(arguments: Form.allCases) func `need one of the keys with their identifier`(form: Form) throws {
    let signer = try #require(Self.keys.first { $0.identifier == (try? Self.verified(form, form.text).key) })
    let impostor = try #require(
      Ed25519Key(Array("Ed".utf8) + signer.identifier.bytes + Self.keys.first { $0 != signer }!.bytes))
    #expect(Self.fault(form, form.text, keys: [impostor]) == .wrongSignature(signer.identifier))
    #expect(Self.fault(form, form.text, keys: [impostor, signer]) == nil)
  }

  @Test func `with another trusted comment are refused`() {
    let text = SignatureSamples.Minisign.signature
    let changed = text.replacing("file:SHA256SUMS", with: "file:SHA256SUM")
    guard case .wrongTrustedComment = Self.fault(.minisign, Array(changed.utf8)) else {
      Issue.record("accepted or another fault")
      return
    }
    // The comment and its signature of another signature by the same key.
    let lines = text.split(separator: "\n")
    let others = SignatureSamples.Minisign.legacySignature.split(separator: "\n")
    let mixed = (lines[..<2] + others[2...]).joined(separator: "\n")
    guard case .wrongTrustedComment = Self.fault(.minisign, Array(mixed.utf8)) else {
      Issue.record("accepted or another fault")
      return
    }
  }

  @Test(arguments: [Form.minisign, .legacy]) func `of minisign need their trusted comment`(form: Form) {
    let lines = String(decoding: form.text, as: UTF8.self).split(separator: "\n")
    #expect(Self.fault(form, Array(lines[..<2].joined(separator: "\n").utf8)) == .missingTrustedComment)
    #expect(Self.fault(form, Array(lines[..<3].joined(separator: "\n").utf8)) == .missingTrustedComment)
    // By its mark the signature of a digest is minisign's, whatever its name.
    let isPrehashed = form == .minisign
    let asSignify = Self.fault(.signify, Array(lines[..<2].joined(separator: "\n").utf8))
    #expect(asSignify == (isPrehashed ? .missingTrustedComment : nil))
  }

  @Test func `are told from other files`() {
    #expect(Self.fault(.signify, Form.embedded.text) == .containsText)
    #expect(Self.fault(.embedded, Form.signify.text) == .lacksText)
    #expect(Self.fault(.embedded, Form.legacy.text) == .lacksText)
    #expect(Self.fault(.minisign, Form.minisign.text + Array("more\n".utf8)) == .trailingText)
    #expect(Self.fault(.minisign, Form.minisign.text + Array(" \r\n\n".utf8)) == nil)
    #expect(Self.fault(.minisign, Array("<html>\n".utf8)) == .malformedLine(number: 1))
    #expect(Self.fault(.minisign, Array(SignatureSamples.Minisign.key.utf8)) == .malformedLine(number: 2))
    #expect(Self.fault(.minisign, []) == .malformedLine(number: 1))
  }

  @Test(arguments: [Form.minisign, .legacy, .signify]) func `may have CRLF at the ends of their lines`(form: Form) {
    let text = String(decoding: form.text, as: UTF8.self).replacing("\n", with: "\r\n")
    #expect(Self.fault(form, Array(text.utf8)) == nil)
  }

  @Test func `of an empty text are verified`() {
    let minisign = Array(SignatureSamples.Minisign.signatureOfNothing.utf8)
    let signify = Array(SignatureSamples.Signify.signatureOfNothing.utf8)
    #expect(Self.fault(.minisign, minisign, list: []) == nil && Self.fault(.signify, signify, list: []) == nil)
    #expect(Self.fault(.minisign, minisign, list: [0]) == .wrongSignature(Self.keys[0].identifier))
    #expect(Self.fault(.signify, signify, list: [0]) == .wrongSignature(Self.keys[2].identifier))
  }

  /// No text traps, and only the signed bytes are accepted.
  @Test func `with random bytes are refused`() {
    let alphabet = Array("untrusted comment: RWED+/=\r\n\0\u{80}".utf8)
    let isFruitful = Fuzz.run { generator, seed in
      let form = Form.allCases.randomElement(using: &generator)!
      var bytes = generator.mutate(form.text, alphabet: alphabet)
      if form == .embedded, Bool.random(using: &generator) { bytes = bytes.filter { $0 != 0x0d } }
      guard let verified = try? Self.verified(form, bytes) else { return false }
      let isSame = Self.signedParts(bytes, form) == Self.signedParts(form.text, form)
      #expect(isSame, "seed \(seed): \(verified)")
      return true
    }
    #expect(isFruitful)
  }

  /// The lines without the untrusted comment, without their ends where these are free.
  private static func signedParts(_ bytes: [UInt8], _ form: Form) -> [UInt8] {
    let rest = bytes[(bytes.firstIndex(of: 0x0a) ?? bytes.endIndex)...]
    if form == .embedded {
      let text = rest.dropFirst()
      let line = text.prefix { $0 != 0x0a }
      return line.filter { $0 != 0x0d } + text.dropFirst(line.count)
    }
    var lines = rest.split(separator: 0x0a, omittingEmptySubsequences: false).map { line in
      line.last == 0x0d ? line.dropLast() : line
    }
    while lines.last?.allSatisfy({ $0 == 0x20 || (0x09...0x0d).contains($0) }) == true { lines.removeLast() }
    return Array(lines.joined(separator: [0x0a]))
  }
}

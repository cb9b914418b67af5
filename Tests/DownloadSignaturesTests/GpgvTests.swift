import DownloadCore
import Glibc
import TestSupport
import Testing

@testable import DownloadSignatures

/// Runs the gpgv of this machine.
@Suite struct `Signatures of OpenPGP` {
  private let directory: TemporaryDirectory
  private static let list = Array(SignatureSamples.list.utf8)

  init() throws { directory = try TemporaryDirectory() }

  /// A file that is closed with its last reference.
  private final class OpenSample {
    let descriptor: Int32
    init(_ bytes: [UInt8], in directory: TemporaryDirectory) throws {
      let path = directory.path("sample-\(UInt64.random(in: 0 ... .max))")
      try Content.bytes(bytes).write(to: path)
      descriptor = open(path, O_RDONLY | O_CLOEXEC)
      unlink(path)
    }
    deinit { close(descriptor) }
  }

  private func keyring(_ text: String) throws -> [UInt8] {
    guard case .openPGP(let keyring) = try VerificationKey(file: Array(text.utf8)) else {
      throw TestSupportError("no keyring")
    }
    return keyring.bytes
  }

  private func verify(
    _ signature: [UInt8], list: [UInt8] = list, keys: [String] = [OpenPGPSamples.key]
  ) throws -> ListSignature.OpenPGPSigner {
    let keyrings = try keys.map { try OpenSample(keyring($0), in: directory) }
    let list = try OpenSample(list, in: directory)
    let signature = try OpenSample(signature, in: directory)
    return try withExtendedLifetime((keyrings, list, signature)) {
      try Gpgv.verify(
        GpgvFiles(
          list: list.descriptor, signature: signature.descriptor, keyrings: keyrings.map(\.descriptor)))
    }
  }

  private func fault(
    _ signature: String, list: [UInt8] = list, keys: [String] = [OpenPGPSamples.key]
  ) throws -> OpenPGPFault? {
    do { _ = try verify(Array(signature.utf8), list: list, keys: keys) } catch let error as OpenPGPFault {
      return error
    }
    return nil
  }

  /// What gpgv gives of a message.
  private struct Reading: Equatable {
    var text = SignatureSamples.list
    var fault: OpenPGPFault?
  }

  private func text(of message: String, keys: [String] = [OpenPGPSamples.key]) throws -> Reading {
    let keyrings = try keys.map { try OpenSample(keyring($0), in: directory) }
    let list = try OpenSample(Array(message.utf8), in: directory)
    var text: [UInt8] = []
    let fault: OpenPGPFault? = withExtendedLifetime((keyrings, list)) {
      do throws(OpenPGPFault) {
        let files = GpgvFiles(list: list.descriptor, signature: nil, keyrings: keyrings.map(\.descriptor))
        _ = try Gpgv.verifyMessage(files) { bytes in
          text += bytes
          return true
        }
      } catch { return error }
      return nil
    }
    return Reading(text: String(decoding: text, as: UTF8.self), fault: fault)
  }

  private static func binary(_ armored: String) -> [UInt8] {
    let lines = armored.split(separator: "\n").filter { !$0.contains("-----") && !$0.hasPrefix("=") }
    return Base64.decode(lines.joined().utf8)!
  }

  @Test(arguments: [OpenPGPSamples.signature, OpenPGPSamples.textSignature])
  func `are verified, armored and binary`(signature: String) throws {
    for bytes in [Array(signature.utf8), Self.binary(signature)] {
      let signer = try verify(bytes)
      #expect(signer.fingerprint == OpenPGPSamples.fingerprint && signer.user == Array(OpenPGPSamples.user.utf8))
    }
    #expect(try fault(signature, keys: [OpenPGPSamples.otherKey, OpenPGPSamples.key]) == nil)
    #expect(try fault(signature, keys: [OpenPGPSamples.otherKey + "\n" + OpenPGPSamples.key]) == nil)
  }

  @Test func `need given keys that are valid`() throws {
    guard case .unknownKey = try fault(OpenPGPSamples.signature, keys: [OpenPGPSamples.otherKey]) else {
      Issue.record("an unknown key")
      return
    }
    guard case .revokedKey = try fault(OpenPGPSamples.revokedSignature, keys: [OpenPGPSamples.revokedKey]) else {
      Issue.record("a revoked key")
      return
    }
    guard case .expiredKey = try fault(OpenPGPSamples.signatureOfExpiredKey, keys: [OpenPGPSamples.expiredKey]) else {
      Issue.record("an expired key")
      return
    }
    let subkey = [OpenPGPSamples.keyWithExpiredSubkey]
    guard case .expiredKey = try fault(OpenPGPSamples.signatureOfExpiredSubkey, keys: subkey) else {
      Issue.record("an expired subkey")
      return
    }
  }

  @Test func `are valid themselves`() throws {
    guard case .expiredSignature = try fault(OpenPGPSamples.expiredSignature) else {
      Issue.record("an expired signature")
      return
    }
    guard case .weakDigest = try fault(OpenPGPSamples.sha1Signature) else {
      Issue.record("a signature of a SHA-1 digest")
      return
    }
    for text in ["", "x", "<html>", OpenPGPSamples.key] { #expect(try fault(text) != nil, "\(text)") }
  }

  @Test func `are all by given keys`() throws {
    let both = [OpenPGPSamples.key, OpenPGPSamples.otherKey]
    #expect(try fault(OpenPGPSamples.twoSignatures, keys: both) == nil)
    for key in both {
      guard case .unknownKey = try fault(OpenPGPSamples.twoSignatures, keys: [key]) else {
        Issue.record("one of two keys")
        return
      }
    }
  }

  @Test func `are refused for any other list`() throws {
    for index in Self.list.indices where index % 9 == 0 {
      var changed = Self.list
      changed[index] ^= 1
      guard case .wrongSignature = try fault(OpenPGPSamples.signature, list: changed) else {
        Issue.record("byte \(index)")
        continue
      }
    }
    for list in [[], Self.list.dropLast(), Self.list + [0x0a]] as [[UInt8]] {
      #expect(try fault(OpenPGPSamples.signature, list: list) != nil)
    }
  }

  /// Nothing signs the unhashed subpackets of a signature and the first bytes of the digest in it, which are followed by
  /// two numbers (RFC 9580 section 5.2.3). gpgv does not mind other lengths of the same number of bytes.
  @Test func `are refused with any signed byte changed`() throws {
    let signature = Self.binary(OpenPGPSamples.signature)
    let hashedCount = Int(signature[6]) << 8 | Int(signature[7])
    let unhashedStart = 8 + hashedCount
    let unhashedCount = Int(signature[unhashedStart]) << 8 | Int(signature[unhashedStart + 1])
    let firstLength = unhashedStart + 2 + unhashedCount + 2
    let bitCount = Int(signature[firstLength]) << 8 | Int(signature[firstLength + 1])
    let firstNumber = firstLength + 2..<firstLength + 2 + (bitCount + 7) / 8
    let secondNumber = firstNumber.upperBound + 2..<signature.count
    for index in [0] + Array(2..<unhashedStart) + Array(firstNumber) + Array(secondNumber) {
      var changed = signature
      changed[index] ^= 1
      #expect(throws: OpenPGPFault.self, "byte \(index)") { try verify(changed) }
    }
    for count in stride(from: 0, to: signature.count, by: 7) {
      #expect(throws: OpenPGPFault.self, "\(count) bytes") { try verify(Array(signature.prefix(count))) }
    }
  }

  /// A signed message in place of a detached signature says nothing about the list beside it.
  @Test(arguments: [OpenPGPSamples.message, OpenPGPSamples.signedList, OpenPGPSamples.unsignedMessage])
  func `have no text of their own`(message: String) throws {
    #expect(try fault(message) != nil)
    #expect(try fault(message, list: Array("evil\n".utf8)) != nil)
  }

  @Test func `around a text give the text`() throws {
    #expect(try text(of: OpenPGPSamples.signedList) == Reading())
    let both = [OpenPGPSamples.key, OpenPGPSamples.otherKey]
    #expect(try text(of: OpenPGPSamples.twiceSignedList, keys: both) == Reading())
    // Other text is no part of it.
    #expect(try text(of: "before\n" + OpenPGPSamples.signedList + "behind\n") == Reading())
  }

  @Test func `around a text vouch for nothing else`() throws {
    let signed = OpenPGPSamples.signedList
    let both = [OpenPGPSamples.key, OpenPGPSamples.otherKey]
    let mixtures = [
      OpenPGPSamples.unsignedMessage, OpenPGPSamples.unsignedMessage + signed, signed + OpenPGPSamples.unsignedMessage,
      signed + OpenPGPSamples.otherSignedList, signed + signed, OpenPGPSamples.unsignedMessage + OpenPGPSamples.message,
      signed.replacing("  a\n", with: "  c\n"), String(signed.dropLast(60)), SignatureSamples.list, "",
      signed.replacing("-----BEGIN PGP SIGNED MESSAGE-----\n", with: ""),
    ]
    for mixture in mixtures { #expect(try text(of: mixture, keys: both).fault != nil, "\(mixture)") }
    guard case .unknownKey = try text(of: signed, keys: [OpenPGPSamples.otherKey]).fault else {
      Issue.record("an unknown key")
      return
    }
  }

  @Test func `end with their text where that is not wanted`() throws {
    let list = try OpenSample(Array(OpenPGPSamples.signedList.utf8), in: directory)
    let ring = try OpenSample(keyring(OpenPGPSamples.key), in: directory)
    _ = withExtendedLifetime((list, ring)) {
      #expect(throws: OpenPGPFault.tooLong) {
        try Gpgv.verifyMessage(
          GpgvFiles(list: list.descriptor, signature: nil, keyrings: [ring.descriptor])
        ) { _ in false }
      }
    }
  }
}

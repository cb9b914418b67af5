import TestSupport
import Testing

@testable import DownloadSignatures

@Suite struct `What gpgv tells` {
  private static let good = "GOODSIG CE45018A75DC526E one@example.org"
  private static let valid =
    "VALIDSIG 2222 2024-01-01 1704067200 0 4 0 22 8 00 1008469324092F7A99834DB9CE45018A75DC526E"

  private func fault(_ lines: [String], status: Int32? = 0, isDetached: Bool = true) -> OpenPGPFault? {
    let text = lines.map { "[GNUPG:] \($0)\n" }.joined()
    do throws(OpenPGPFault) {
      _ = try GpgvStatus(lines: Array(text.utf8), exitStatus: status).signer(isDetached: isDetached)
    } catch { return error }
    return nil
  }

  @Test func `a good and valid signature has a signer`() throws {
    let text = "[GNUPG:] NEWSIG one@example.org\n[GNUPG:] \(Self.good) two\n[GNUPG:] \(Self.valid)\n"
    let signer = try GpgvStatus(lines: Array(text.utf8), exitStatus: 0).signer(isDetached: true)
    #expect(signer.fingerprint == "1008469324092F7A99834DB9CE45018A75DC526E")
    #expect(signer.user == Array("one@example.org two".utf8))
    #expect(fault([Self.good, Self.valid, Self.good, Self.valid]) == nil)
    #expect(fault(["PLAINTEXT 74 0 ", Self.good, Self.valid], isDetached: false) == nil)
    // Older versions do not tell the primary key.
    let short = "[GNUPG:] \(Self.good)\n[GNUPG:] VALIDSIG 2222 2024-01-01\n"
    #expect(try GpgvStatus(lines: Array(short.utf8), exitStatus: 0).signer(isDetached: true).fingerprint == "2222")
  }

  @Test(arguments: [1, 2, 127, nil] as [Int32?])
  func `success needs the exit status`(status: Int32?) {
    #expect(fault([Self.good, Self.valid], status: status) == .refused(status: status))
  }

  @Test func `success needs a good and a valid signature`() {
    for lines in [[], [Self.good], [Self.valid], [Self.good, Self.good, Self.valid], ["TRUST_ULTIMATE"]] {
      #expect(fault(lines) == .refused(status: 0), "\(lines)")
    }
    // Words of a name, or of another program.
    #expect(fault(["NEWSIG x [GNUPG:] \(Self.good)", "KEY_CONSIDERED GOODSIG VALIDSIG"]) != nil)
    let plain = "GOODSIG 1 x\nVALIDSIG 1\ngpgv: [GNUPG:] GOODSIG 1 x\n"
    #expect(throws: OpenPGPFault.self) {
      try GpgvStatus(lines: Array(plain.utf8), exitStatus: 0).signer(isDetached: true)
    }
  }

  /// gpgv ends with status 0 also after some of these.
  @Test(arguments: [
    ("BADSIG 1A x", OpenPGPFault.wrongSignature("1A")), ("EXPSIG 1A x", .expiredSignature("1A")),
    ("EXPKEYSIG 1A x", .expiredKey("1A")), ("REVKEYSIG 1A x", .revokedKey("1A")),
    ("ERRSIG 1A 22 8 00 1704067200 9 2222", .unknownKey("1A")),
    ("ERRSIG 1A 22 2 00 1704067200 5 2222", .weakDigest("1A")),
    ("ERRSIG 1A 22 8 00 1704067200 4 2222", .uncheckable("1A")), ("ERRSIG 1A", .uncheckable("1A")),
    ("NODATA 4", .noSignature), ("UNEXPECTED 0", .noSignature), ("ERROR proc_pkt.plaintext 89", .refused(status: 0)),
    ("FAILURE gpgv 1", .refused(status: 0)),
  ])
  func `any fault is one of the whole`(line: String, expected: OpenPGPFault) {
    #expect(fault([line, Self.valid]) == expected)
    #expect(fault([Self.good, Self.valid, line]) == expected)
    #expect(fault([line, Self.good, Self.valid]) == expected)
    #expect(fault([Self.good, Self.valid, line, Self.valid]) == expected)
  }

  @Test func `there is one signed text, and none in a detached signature`() {
    let plaintext = "PLAINTEXT 62 0 x"
    #expect(fault([plaintext, Self.good, Self.valid]) == .severalTexts)
    #expect(fault([Self.good, Self.valid], isDetached: false) == .severalTexts)
    #expect(fault([plaintext, plaintext, Self.good, Self.valid], isDetached: false) == .severalTexts)
    #expect(
      fault([plaintext, plaintext, "ERROR x 89", Self.good, Self.valid], status: 2, isDetached: false) == .severalTexts)
  }

  @Test func `random lines are no success`() {
    let sample = Array("[GNUPG:] NEWSIG\n[GNUPG:] \(Self.good)\n[GNUPG:] \(Self.valid)\n".utf8)
    let alphabet = Array("[GNUPG:] \nODVALISE09".utf8)
    let isFruitful = Fuzz.run { generator, seed in
      let lines = generator.mutate(sample, alphabet: alphabet)
      guard (try? GpgvStatus(lines: lines, exitStatus: 0).signer(isDetached: true)) != nil else { return false }
      let text = String(decoding: lines, as: UTF8.self)
      #expect(text.contains("[GNUPG:] GOODSIG") || text.contains("GOODSIG "), "seed \(seed)")
      return true
    }
    #expect(isFruitful)
  }
}

/// What gpgv tells about the signatures of one text, on the descriptor of `--status-fd`.
///
/// The lines are described in doc/DETAILS of GnuPG. gpgv ends with status 0 also for signatures by keys that have expired
/// or were revoked, so that the lines decide as well.
struct GpgvStatus {
  /// Nil where a signal ended gpgv.
  private let exitStatus: Int32?
  /// The fingerprint and the user of the key of each signature that is good in every respect.
  private var good: [(key: String, user: [UInt8])] = []
  private var validCount = 0
  private var textCount = 0
  private var fault: OpenPGPFault?

  /// - Parameter lines: all that gpgv wrote.
  init(lines: [UInt8], exitStatus: Int32?) {
    self.exitStatus = exitStatus
    for line in lines.split(separator: 0x0a) {
      let words = line.split(separator: 0x20)
      guard words.count >= 2, words[0].elementsEqual("[GNUPG:]".utf8) else { continue }
      take(Self.text(words[1]), words.dropFirst(2).map { $0 })
    }
  }

  private mutating func take(_ keyword: String, _ words: [ArraySlice<UInt8>]) {
    let key = words.first.map(Self.text) ?? ""
    switch keyword {
    case "GOODSIG": good.append((key, Array(words.dropFirst().joined(separator: [0x20]))))
    case "VALIDSIG":
      validCount += 1
      // The fingerprint of the primary key comes last; older versions have only that of the signing one.
      let fingerprint = words.count > 9 ? words[9] : words.first ?? []
      if validCount == good.count { good[validCount - 1].key = Self.text(fingerprint) }
    case "BADSIG": note(.wrongSignature(key))
    case "ERRSIG": note(Self.fault(errorCode: words.count > 5 ? Self.text(words[5]) : "", key))
    case "EXPSIG": note(.expiredSignature(key))
    case "EXPKEYSIG": note(.expiredKey(key))
    case "REVKEYSIG": note(.revokedKey(key))
    case "NODATA", "UNEXPECTED": note(.noSignature)
    case "ERROR", "FAILURE": note(.refused(status: exitStatus))
    case "PLAINTEXT": textCount += 1
    default: break
    }
  }

  /// The first fault tells most.
  private mutating func note(_ fault: OpenPGPFault) { self.fault = self.fault ?? fault }

  /// The last word of ERRSIG is an error code of libgpg-error.
  private static func fault(errorCode: String, _ key: String) -> OpenPGPFault {
    switch errorCode {
    case "9": .unknownKey(key)
    case "5": .weakDigest(key)
    default: .uncheckable(key)
    }
  }

  private static func text(_ word: ArraySlice<UInt8>) -> String { String(decoding: word, as: UTF8.self) }

  /// The key of the first signature, if all signatures are good.
  ///
  /// - Parameter isDetached: the text is not in the file of the signature.
  func signer(isDetached: Bool) throws(OpenPGPFault) -> ListSignature.OpenPGPSigner {
    if let fault, textCount > 1 { throw fault == .refused(status: exitStatus) ? .severalTexts : fault }
    if let fault { throw fault }
    guard textCount == (isDetached ? 0 : 1) else { throw .severalTexts }
    guard exitStatus == 0, let first = good.first, validCount == good.count else {
      throw .refused(status: exitStatus)
    }
    return ListSignature.OpenPGPSigner(fingerprint: first.key, user: first.user)
  }
}

import TestSupport
import Testing

@testable import DownloadCore

@Suite struct `Treatment of existing targets` {
  typealias Found = ExistingTargetPolicy.Found

  private static let digest = ContentDigest(.md5, repeating: 7)

  /// A short text for a treatment.
  private func word(
    _ found: Found, _ ifExists: TargetSettings.IfExists, digest: Bool = false, length: Int64? = nil,
    pieceCount: Int = 0, timestamping: Bool = false, isNamedByNetwork: Bool = false
  ) -> String {
    var settings = TargetSettings()
    settings.ifExists = ifExists
    settings.timestamping = timestamping
    var request = FileRequest(task: 0, mirrors: [], target: .standardOutput, expectedLength: length)
    request.isNamedByNetwork = isNamedByNetwork
    if digest { request.digests = [Self.digest] }
    request.pieces = PieceHashes(length: 4, digests: Array(repeating: Self.digest, count: pieceCount))
    let treatment = ExistingTargetPolicy.treatment(of: found, for: request, settings: settings)
    return switch treatment {
    case .download(let replacing): replacing ? "replace" : "download"
    case .keep: "keep"
    case .hash(let orReplace): orReplace ? "hash" : "hash only"
    case .compareLength(let copy): "compare \(copy.size)"
    case .update(let copy): "since \(copy.modified)"
    case .refuse(let error): "refuse \(error.code)"
    }
  }

  private let plain = Found.file(LocalCopy(modified: 99, size: 10), isVerified: false)
  private let vouched = Found.file(LocalCopy(modified: 99, size: 10, mark: .matching), isVerified: true)

  @Test(arguments: TargetSettings.IfExists.allCases)
  func `an absent target is downloaded, a directory is refused`(ifExists: TargetSettings.IfExists) {
    #expect(word(.absent, ifExists, digest: true) == "download")
    #expect(word(.directory, ifExists) == "refuse localIO")
  }

  @Test func `a symbolic link is never followed`() {
    #expect(word(.symbolicLink, .ask) == "refuse localIO")
    #expect(word(.symbolicLink, .verify, digest: true) == "refuse localIO")
    #expect(word(.symbolicLink, .fail) == "refuse localIO")
    #expect(word(.symbolicLink, .keep) == "keep")
    #expect(word(.symbolicLink, .replace) == "replace")
  }

  @Test func `a known digest decides`() {
    #expect(word(plain, .ask, digest: true) == "hash")
    #expect(word(plain, .ask, digest: true, length: 10) == "hash")
    #expect(word(plain, .ask, digest: true, length: 11) == "replace")
    #expect(word(vouched, .ask, digest: true) == "keep")
    // A digest takes precedence over a date.
    #expect(word(plain, .ask, digest: true, timestamping: true) == "hash")
  }

  @Test func `a mark tells nothing of another length or of pieces`() {
    #expect(word(vouched, .ask, length: 10) == "keep")
    #expect(word(vouched, .ask, length: 11) == "compare 10")
    #expect(word(vouched, .verify, length: 11) == "compare 10")
    #expect(word(vouched, .ask, digest: true, length: 11) == "replace")
    for found in [plain, vouched] {
      #expect(word(found, .ask, pieceCount: 3) == "hash" && word(found, .verify, pieceCount: 3) == "hash")
      #expect(word(found, .ask, length: 11, pieceCount: 3) == "replace")
      #expect(word(found, .ask, pieceCount: 2) == "replace")
      // As a digest does, pieces take precedence over a date.
      #expect(word(found, .ask, pieceCount: 3, timestamping: true) == "hash")
    }
    // With a digest, pieces are only for what is downloaded.
    #expect(word(vouched, .ask, digest: true, pieceCount: 2) == "keep")
  }

  @Test func `without a digest the server is asked, unless the attribute vouches for the file`() {
    #expect(word(plain, .ask) == "compare 10")
    #expect(word(vouched, .ask) == "keep")
    #expect(word(plain, .ask, timestamping: true) == "since 99")
    #expect(word(vouched, .ask, timestamping: true) == "since 99")
  }

  @Test func `an explicit choice takes precedence`() {
    #expect(word(plain, .keep, digest: true) == "keep")
    #expect(word(vouched, .replace, digest: true) == "replace")
    #expect(word(vouched, .fail, digest: true) == "refuse localIO")
    #expect(word(vouched, .verify, digest: true) == "hash")
    #expect(word(plain, .verify) == "compare 10")
    #expect(word(vouched, .verify) == "keep")
  }

  private func marked(_ mark: LocalCopy.Mark) -> Found {
    .file(LocalCopy(modified: 99, size: 10, mark: mark), isVerified: false)
  }

  @Test(arguments: [LocalCopy.Mark.none, .ofOtherURL, .broken])
  func `a name from the network replaces no file that is not marked as coming from this URL`(mark: LocalCopy.Mark) {
    for choice in [TargetSettings.IfExists.ask, .verify] {
      #expect(word(marked(mark), choice, digest: true, isNamedByNetwork: true) == "hash only")
      #expect(word(marked(mark), choice, pieceCount: 3, isNamedByNetwork: true) == "hash only")
      #expect(word(marked(mark), choice, digest: true, length: 11, isNamedByNetwork: true) == "refuse localIO")
      #expect(word(marked(mark), choice, pieceCount: 2, isNamedByNetwork: true) == "refuse localIO")
      #expect(word(marked(mark), choice, timestamping: true, isNamedByNetwork: true) == "compare 10")
      #expect(word(marked(mark), choice, digest: true) == "hash")
    }
    #expect(word(marked(mark), .ask, timestamping: true) == "since 99")
    // The user's word.
    #expect(word(marked(mark), .replace, digest: true, isNamedByNetwork: true) == "replace")
  }

  @Test func `a name from the network replaces a file that came from this URL`() {
    #expect(word(marked(.matching), .ask, digest: true, isNamedByNetwork: true) == "hash")
    #expect(word(marked(.matching), .ask, digest: true, length: 11, isNamedByNetwork: true) == "replace")
    #expect(word(marked(.matching), .ask, timestamping: true, isNamedByNetwork: true) == "since 99")
  }

  @Test func `a mark that is not believed vouches for nothing`() {
    for mark in [LocalCopy.Mark.none, .ofOtherURL, .broken] { #expect(word(marked(mark), .ask) == "compare 10") }
    #expect(word(marked(.matching), .ask) == "keep")
  }
}

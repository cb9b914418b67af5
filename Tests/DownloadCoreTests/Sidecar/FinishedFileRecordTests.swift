import TestSupport
import Testing

@testable import DownloadCore

@Suite struct `Records of finished files` {
  private func randomRecord(_ random: inout SeededGenerator) throws -> FinishedFileRecord {
    let algorithm = Bool.random(using: &random) ? DigestAlgorithm.allCases.randomElement(using: &random) : nil
    let digest = algorithm.flatMap { algorithm in
      ContentDigest(algorithm, (0..<algorithm.byteCount).map { _ in UInt8.random(in: 0...255, using: &random) })
    }
    let hash = UInt64.random(in: 0 ... .max, using: &random)
    let mark = VerifiedMark(
      digest: digest, size: Int64.random(in: 0 ... .max, using: &random),
      modified: FileTime(
        seconds: Int64.random(in: .min ... .max, using: &random),
        nanoseconds: Int32.random(in: 0...999_999_999, using: &random)),
      writtenAt: Int64.random(in: .min ... .max, using: &random),
      url: digest == nil || Bool.random(using: &random) ? .hash(hash) : nil)
    let file = FinishedFile(
      inode: UInt64.random(in: 0 ... .max, using: &random), mark: mark, urlHash: nil,
      isMarked: Bool.random(using: &random))
    let length = Bool.random(using: &random) ? Int.random(in: 0...9, using: &random) : 65_535
    return try #require(
      FinishedFileRecord(name: (0..<length).map { _ in UInt8.random(in: 1...255, using: &random) }, file: file))
  }

  @Test func `are read as they were written, one behind the other`() throws {
    var random = SeededGenerator(seed: 1)
    for _ in 0..<200 {
      let records = try (0..<Int.random(in: 0...9, using: &random)).map { _ in try randomRecord(&random) }
      var bytes: [UInt8] = []
      for record in records { record.append(to: &bytes) }
      var start = 0
      for record in records {
        #expect(FinishedFileRecord(at: start, in: bytes) == record)
        #expect(FinishedFileRecord.key(ofRecordAt: start, in: bytes) == StableHash.fnv1a(record.name))
        guard let end = FinishedFileRecord.end(ofRecordAt: start, in: bytes) else { break }
        start = end
      }
      #expect(start == bytes.count && FinishedFileRecord(at: start, in: bytes) == nil)
    }
  }

  @Test func `with an end that is missing are none, and damaged ones do no harm`() throws {
    var random = SeededGenerator(seed: 2)
    for _ in 0..<500 {
      var bytes: [UInt8] = []
      try randomRecord(&random).append(to: &bytes)
      let cut = Array(bytes.prefix(Int.random(in: 0..<bytes.count, using: &random)))
      #expect(FinishedFileRecord(at: 0, in: cut) == nil && FinishedFileRecord.end(ofRecordAt: 0, in: cut) == nil)
      for _ in 0..<10 {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      if FinishedFileRecord(at: 0, in: bytes) != nil {
        #expect((FinishedFileRecord.end(ofRecordAt: 0, in: bytes) ?? .max) <= bytes.count)
      }
    }
    #expect(FinishedFileRecord(at: 0, in: [UInt8](repeating: 0, count: 500)) == nil, "it vouches for nothing")
  }

  @Test func `have every algorithm`() {
    for algorithm in DigestAlgorithm.allCases {
      let digest = ContentDigest(algorithm, [UInt8](repeating: 7, count: algorithm.byteCount))
      let mark = VerifiedMark(digest: digest, size: 1, modified: FileTime(seconds: 2), writtenAt: 3, url: nil)
      var bytes: [UInt8] = []
      FinishedFileRecord(name: [97], file: FinishedFile(inode: 4, mark: mark, urlHash: nil, isMarked: true))?
        .append(to: &bytes)
      #expect(FinishedFileRecord(at: 0, in: bytes)?.file.mark.digest == digest, "\(algorithm)")
    }
  }

  @Test func `name the URL by its hash where the mark refers to an attribute`() {
    let mark = VerifiedMark(digest: nil, size: 1, modified: FileTime(seconds: 2), writtenAt: 3, url: .originURL)
    #expect(FinishedFile(inode: 4, mark: mark, urlHash: 5, isMarked: true).mark.url == .hash(5))
  }

  @Test func `have the keys of names below the target directory`() {
    func key(_ components: String...) -> UInt64? {
      FinishedFileRecord.key(of: .listed(components.map { Array($0.utf8) }))
    }
    #expect(key("a", "b") == StableHash.fnv1a("a/b") && key("ab") == StableHash.fnv1a("ab"))
    let mark = VerifiedMark(digest: nil, size: 1, modified: FileTime(seconds: 2), writtenAt: 3, url: .hash(4))
    let file = FinishedFile(inode: 4, mark: mark, urlHash: nil, isMarked: true)
    #expect(FinishedFileRecord(name: [UInt8](repeating: 97, count: 65_536), file: file) == nil)
    #expect(FinishedFileRecord.key(of: .standardOutput) == nil && FinishedFileRecord.key(of: .path([97])) == nil)
  }

  @Test func `are believed for the same inode, size and times only`() {
    let modified = FileTime(seconds: 100, nanoseconds: 7)
    let mark = VerifiedMark(digest: nil, size: 10, modified: modified, writtenAt: 200, url: .hash(1))
    let file = FinishedFile(inode: 4, mark: mark, urlHash: nil, isMarked: true)
    func isBelieved(
      inode: UInt64 = 4, size: Int64 = 10, modified: FileTime = modified, changed: Int64 = 201
    ) -> Bool {
      file.mark(ofInode: inode, size: size, modified: modified, changed: FileTime(seconds: changed)) == mark
    }
    #expect(isBelieved() && isBelieved(changed: 200) && isBelieved(changed: 205))
    #expect(!isBelieved(inode: 5) && !isBelieved(size: 11) && !isBelieved(changed: 199) && !isBelieved(changed: 206))
    #expect(!isBelieved(modified: FileTime(seconds: 100, nanoseconds: 8)))
  }
}

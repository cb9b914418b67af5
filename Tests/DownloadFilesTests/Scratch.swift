import DownloadCore
@testable import DownloadFiles
import Foundation
import TestSupport

/// A temporary directory for one test, removed with its content by `deinit`.
final class Scratch {
  let path: String
  let directory: TargetDirectory

  init(on parent: String = NSTemporaryDirectory()) throws {
    // Both are read from /proc once. Reading them here keeps these calls out of recorded ones.
    _ = (FileCreationMask.current, BootID.current)
    var template = Array((parent + "/filestore-XXXXXX").utf8CString)
    path = template.withUnsafeMutableBufferPointer { String(cString: mkdtemp($0.baseAddress!)) }
    directory = try TargetDirectory.open(path: Array(path.utf8))
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func place(_ name: String) throws -> TargetPlace { try directory.resolve([Array(name.utf8)]) }

  func write(_ name: String, _ bytes: [UInt8]) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path + "/" + name))
  }

  /// Nil if the file does not exist.
  func read(_ name: String) -> [UInt8]? {
    FileManager.default.contents(atPath: path + "/" + name).map { Array($0) }
  }

  var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }

  func mode(_ name: String) -> Int? {
    (try? FileManager.default.attributesOfItem(atPath: path + "/" + name))?[.posixPermissions] as? Int
  }

  /// Whether the file system supports extended attributes.
  var hasAttributes: Bool {
    (try? SystemCalls.fsetxattr(directory.base.raw, .originURL, Array("probe".utf8))) != nil
  }

  func attribute(_ attribute: AttributeName, of name: String) throws -> String? {
    let descriptor = try SystemCalls.openat(directory.base.raw, Array(name.utf8), O_RDONLY)
    return FileAttributes.read(attribute, of: descriptor.raw).map { String(decoding: $0, as: UTF8.self) }
  }
}

/// Bytes without repetition, so that shifted or mixed content is detected.
func pattern(_ count: Int, seed: UInt8 = 1) -> [UInt8] {
  (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) ^ seed }
}

func write(_ bytes: [UInt8], to part: PartFile, at offset: Int64 = 0) throws {
  try bytes.withUnsafeBytes { try part.write($0, at: offset) }
}

func record(for name: String, done: Int64 = 0, length: Int64? = nil) -> SidecarRecord {
  var record = SidecarRecord(
    target: Array(name.utf8), url: "https://example.org/\(name)", urlHash: "00112233445566778899aabbccddeeff",
    bootID: BootID.current)
  record.completeLength = length
  record.mirrors = [SidecarRecord.MirrorState(url: record.url, urlHash: record.urlHash, strongTag: Array("tag".utf8))]
  if done > 0 {
    record.written = ByteRangeSet([0..<done])
    record.sources = [SidecarRecord.SourcedRange(0..<done, mirror: 0)]
  }
  return record
}

/// The same record with all written ranges synced.
func synced(_ record: SidecarRecord) -> SidecarRecord {
  var record = record
  record.synced = record.written
  return record
}

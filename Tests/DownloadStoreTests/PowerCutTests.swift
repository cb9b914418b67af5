import DownloadCore
import Glibc
import RecordingSystem
import TestSupport
import Testing

@testable import DownloadStore

/// The one recording of the process.
enum Recording {
  private static let turn = Lock(0)

  /// Calls `body` with the name of the SQLite VFS that records and fails, for one caller at a time.
  static func use(_ body: (String) throws -> Void) throws {
    try turn.withLock { _ in
      #expect(recording_register() == 0)
      defer {
        recording_begin(0)
        recording_fail(0)
      }
      try body("recording")
    }
  }
}

/// The files of a database below the recorded calls, no kinder than any that there is: what is not synced gets to the disk
/// in any order, in parts, or not at all.
private struct DatabaseDisk {
  private struct File {
    var durable: [UInt8]?
    var current: [UInt8]?
    var pending: [recording_call] = []
  }

  private var files: [String: File]

  /// - Parameter files: on stable storage.
  init(_ files: [String: [UInt8]]) { self.files = files.mapValues { File(durable: $0, current: $0) } }

  mutating func apply(_ call: recording_call) {
    let name = withUnsafeBytes(of: call.name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    var file = files[name] ?? File()
    switch recording_kind(UInt32(call.kind)) {
    case RECORDING_CREATE: file.current = []
    case RECORDING_REMOVE:
      file.current = nil
      file.pending = call.length == 0 ? file.pending : []
      if call.length != 0 { file.durable = nil }
    case RECORDING_SYNC:
      file.durable = file.current
      file.pending = []
    default:
      Self.apply(call, to: &file.current)
      file.pending.append(call)
    }
    files[name] = file
  }

  private static func apply(_ call: recording_call, to bytes: inout [UInt8]?, _ part: Range<Int>? = nil) {
    var content = bytes ?? []
    if recording_kind(UInt32(call.kind)) == RECORDING_TRUNCATE {
      content.removeLast(max(0, content.count - Int(call.length)))
    } else {
      let part = part ?? 0..<Int(call.length)
      let (start, end) = (Int(call.offset) + part.lowerBound, Int(call.offset) + part.upperBound)
      if content.count < end { content += [UInt8](repeating: 0, count: end - content.count) }
      content.replaceSubrange(
        start..<end, with: UnsafeRawBufferPointer(start: call.bytes, count: Int(call.length))[part])
    }
    bytes = content
  }

  /// The files after a power cut.
  func survivors(_ random: inout SeededGenerator) -> [String: [UInt8]] {
    files.compactMapValues { file in
      var bytes = file.durable
      // A name that no sync has covered may be lost, and one that was removed may be back.
      if bytes == nil, file.current == nil || Bool.random(using: &random) { return nil }
      if file.durable != nil, file.current == nil, Bool.random(using: &random) { return nil }
      let odds = Int.random(in: 0...3, using: &random)
      for call in file.pending.shuffled(using: &random) where odds == 3 || Int.random(in: 0..<3, using: &random) < odds
      {
        var part = 0..<Int(call.length)
        if part.count > 512, Int.random(in: 0..<4, using: &random) == 0 {
          let sectors = part.count / 512
          let from = Int.random(in: 0..<sectors, using: &random)
          part = from * 512..<Int.random(in: from + 1...sectors, using: &random) * 512
        }
        Self.apply(call, to: &bytes, part)
      }
      return bytes ?? []
    }
  }
}

@Suite struct `Store after a power cut` {
  @Test(arguments: 0..<6) func `what was confirmed is there, and the rest whole or absent`(seed: Int) throws {
    let directory = try StoreDirectory()
    let replayed = try StoreDirectory()
    var random = SeededGenerator(seed: Fuzz.seed &+ UInt64(seed))
    try Recording.use { system in
      // The database is there, settled, at times with tasks in it.
      let (first, _, _) = try directory.open(system: system)
      var states = [StoreModel()]
      if seed % 2 == 1 {
        let changes = (1...30).map { StoreChange.put(random.row(TaskID($0))) }
        #expect(first.commit(changes) == nil)
        states[0].apply(changes)
      }
      first.close()
      var disk = DatabaseDisk(["session.db": try readFile(directory.file("session.db"))])
      recording_begin(1)
      // The number of calls at which each state was confirmed.
      var confirmed = [0]
      let (store, _, _) = try directory.open(system: system)
      for _ in 0..<40 {
        // At times so much that the log is written back into the database.
        var changes = random.changes()
        if Int.random(in: 0..<8, using: &random) == 0 {
          changes += (100...400).map { StoreChange.put(random.row(TaskID($0))) }
        }
        var next = states[states.count - 1]
        next.apply(changes)
        states.append(next)
        #expect(store.commit(changes) == nil)
        confirmed.append(recording_count())
      }
      store.close()
      let count = recording_count()
      let cuts = Set((0..<30).map { _ in Int.random(in: 0...count, using: &random) })
      for call in 0...count {
        if cuts.contains(call) {
          let least = confirmed.lastIndex { $0 <= call } ?? 0
          for _ in 0..<4 {
            try restore(disk.survivors(&random), in: replayed)
            let found = try replayed.read()
            #expect(found.content.damagedTaskCount == 0)
            let state = states.indices.first { $0 >= least && $0 <= least + 1 && states[$0] == found.model }
            #expect(state != nil, "seed \(seed), cut after \(call) of \(count) calls, \(least) confirmed")
          }
        }
        if call < count { disk.apply(recording_at(call)) }
      }
    }
  }

  private func restore(_ files: [String: [UInt8]], in directory: StoreDirectory) throws {
    if !fileExists(directory.temporary.path("session")) { try directory.temporary.makeDirectory("session") }
    for name in directory.temporary.names(in: "session") { unlink(directory.file(name)) }
    for (name, bytes) in files { try Content.bytes(bytes).write(to: directory.file(name)) }
  }
}

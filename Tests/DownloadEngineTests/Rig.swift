import Glibc
import TestSupport

@testable import DownloadCore
@testable import DownloadEngine
@testable import DownloadFiles

/// Whether a read would not block.
func isReadable(_ descriptor: Int32) -> Bool {
  var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
  return poll(&entry, 1, 0) > 0
}

extension WorkerPort {
  func post(_ jobs: [Job]) { for job in jobs { post(job) } }
}

/// WorkerRig without an engine: their jobs are run to the end on the thread of the test, where its faults hold.
struct WorkerRig {
  let scratch: TemporaryDirectory
  let directory: TargetDirectory
  let client: WorkerClient
  let storage = StorageWorker()
  let hasher = HashWorker()

  init(syncs: Bool = true) throws {
    // Read from /proc once, before faults are injected.
    _ = (FileCreationMask.current, BootID.current)
    scratch = try TemporaryDirectory()
    directory = try TargetDirectory.open(path: Array(scratch.path.utf8))
    client = WorkerClient(syncs: syncs, groupLimit: 768)
  }

  var replies: Mailbox<WorkerReply> { client.replies }
  var hashing: WorkerPort<HashJob> { WorkerPort(hasher.messages, client) }
  var storing: WorkerPort<StorageJob> { WorkerPort(storage.messages, client) }

  func place(_ name: String) throws -> TargetPlace { try directory.resolve([Array(name.utf8)]) }

  /// The replies of the hash thread to these jobs.
  func hash(_ jobs: HashJob...) -> [WorkerReply] {
    hashing.post(jobs)
    hasher.messages.post(.end)
    hasher.run()
    return replies.takeAll()
  }

  /// The replies of the storage thread to these jobs and to those from the hash thread.
  func store(_ jobs: StorageJob...) -> [WorkerReply] {
    storing.post(jobs)
    storage.messages.post(.end)
    storage.run()
    return replies.takeAll()
  }

  func small(_ jobs: SmallJob...) -> HashJob { .small(jobs, namedBy: storing) }

  /// A part file with this content.
  func part(_ name: String, _ content: Content) throws -> PartFile {
    let part = try PartFile.create(place(name))
    try write(content.allBytes, to: part)
    return part
  }

  func write(_ bytes: [UInt8], to part: PartFile, at offset: Int64 = 0) throws {
    try bytes.withUnsafeBytes { try part.write($0, at: offset) }
  }

  func record(_ name: String, written: Range<Int64>, synced: Range<Int64> = 0..<0) -> SidecarRecord {
    var record = SidecarRecord(
      target: Array(name.utf8), url: "http://h/\(name)", urlHash: "00112233445566778899aabbccddeeff",
      bootID: BootID.current)
    record.mirrors = [SidecarRecord.MirrorState(url: record.url, urlHash: record.urlHash, strongTag: [65])]
    record.completeLength = 1_000_000
    record.written = ByteRangeSet([written])
    record.synced = ByteRangeSet([synced])
    if !written.isEmpty { record.sources = [SidecarRecord.SourcedRange(written, mirror: 0)] }
    return record
  }
}

/// The digest by the `openssl` command.
func digest(_ content: Content, _ algorithm: DigestAlgorithm = .sha256) throws -> ContentDigest {
  let names: [DigestAlgorithm: String] = [.blake2b: "blake2b512", .blake2s: "blake2s256"]
  let name = names[algorithm] ?? algorithm.rawValue
  guard let digest = ContentDigest(algorithm, hex: try content.hexDigest(name).utf8) else {
    throw TestSupportError("openssl gave no \(name)")
  }
  return digest
}

/// Has an item's part file made, and waits for it.
func makePart(of storage: ItemStorage, _ knowledge: VersionKnowledge, _ workers: Workers) throws {
  try storage.create(knowledge)
  let isMade = eventually {
    for case .created(_, let sidecar, let part) in workers.client.replies.takeAll() { storage.created(sidecar, part) }
    return storage.part != nil
  }
  guard isMade else { throw TestSupportError("no part file") }
}

import Glibc
import TestSupport
import Testing

@testable import DownloadCore
@testable import DownloadEngine
@testable import FileStore

/// A system call that fails permanently from some number on, and the expected result of the run.
struct StorageFault {
  enum End {
    /// The item fails with this code, and its message begins with one of these texts.
    case fails(DownloadError.Code, String, or: String? = nil)
    /// As `fails`, and the run starts no further items.
    case stops(String)
    /// The call is optional: the file is published anyway.
    case downloads
    /// A download of this kind does not make the call, for this reason. The file is published.
    case notMade(String)
  }

  /// The kind of download, which determines the calls.
  enum Kind {
    /// A file of some megabytes in an existing directory.
    case large
    /// Some files of a few bytes each, which are published together.
    case small
    /// A file in a new directory.
    case nested
    /// To standard output.
    case stream
  }

  let kind: Kind
  let call: SystemCall
  /// The number of the first failing call, from 1.
  let number: Int
  let errno: Int32
  let end: End

  init(_ call: SystemCall, of kind: Kind = .large, number: Int = 1, _ errno: Int32, _ end: End) {
    self.kind = kind
    self.call = call
    self.number = number
    self.errno = errno
    self.end = end
  }

  static let table: [StorageFault] = [
    .init(.openat, EACCES, .fails(.localIO, "cannot use the target's directory")),
    .init(.openat, EMFILE, .fails(.localIO, "cannot use the target's directory")),
    .init(.openat, EIO, .fails(.localIO, "cannot use the target's directory")),
    .init(.openat, ENOSPC, .stops("cannot use the target's directory")),
    .init(.close, EIO, .downloads),
    .init(.dup, EMFILE, .notMade("only standard output is duplicated")),
    .init(.pwrite, ENOSPC, .stops("cannot open the sidecar")),
    .init(.pwrite, EDQUOT, .stops("cannot open the sidecar")),
    .init(.pwrite, EFBIG, .fails(.localIO, "cannot open the sidecar")),
    .init(.pwrite, EIO, .fails(.localIO, "cannot open the sidecar")),
    .init(.pwrite, EROFS, .fails(.localIO, "cannot open the sidecar")),
    .init(.pwrite, number: 4, ENOSPC, .stops("cannot write the sidecar")),
    .init(.pwrite, number: 4, EDQUOT, .stops("cannot write the sidecar")),
    .init(.pwrite, number: 4, EFBIG, .fails(.localIO, "cannot write the sidecar")),
    .init(.pwrite, number: 4, EIO, .fails(.localIO, "cannot write the sidecar")),
    .init(.pwrite, number: 4, EROFS, .fails(.localIO, "cannot write the sidecar")),
    .init(.pwrite, number: 5, ENOSPC, .stops("cannot write the part file")),
    .init(.pwrite, number: 5, EDQUOT, .stops("cannot write the part file")),
    .init(.pwrite, number: 5, EFBIG, .fails(.localIO, "cannot write the part file")),
    .init(.pwrite, number: 5, EIO, .fails(.localIO, "cannot write the part file")),
    .init(.pwrite, number: 5, EROFS, .fails(.localIO, "cannot write the part file")),
    .init(.pread, EIO, .fails(.localIO, "cannot write the sidecar")),
    .init(.write, EIO, .notMade("of streams only")),
    .init(.ftruncate, EIO, .notMade("of part files only that are longer than what is recorded of them")),
    .init(.fdatasync, EIO, .notMade("of files that take more than a second: `A failed sync` has those")),
    .init(.fsync, EIO, .fails(.localIO, "cannot")),
    .init(.fsync, ENOSPC, .stops("cannot")),
    .init(.syncfs, EIO, .notMade("of many small files only")),
    .init(.sync, EIO, .notMade("where syncfs does not exist")),
    .init(.syncFileRange, EIO, .downloads),
    .init(.renameat, EACCES, .fails(.localIO, "cannot give the file its name")),
    .init(.renameat, EIO, .fails(.localIO, "cannot give the file its name")),
    .init(.renameat, ENOSPC, .stops("cannot give the file its name")),
    .init(.linkat, EIO, .notMade("of large files, where a rename spares what is there")),
    .init(.unlinkat, EIO, .fails(.localIO, "the file is in place, but its sidecar cannot be removed")),
    .init(.mkdirat, EACCES, .notMade("the directory is there")),
    .init(.fstat, EIO, .fails(.localIO, "cannot")),
    .init(.fstatat, EIO, .fails(.localIO, "cannot")),
    .init(.fstatat, EACCES, .fails(.localIO, "cannot")),
    .init(.flock, ENOLCK, .downloads), .init(.flock, EOPNOTSUPP, .downloads),
    .init(.flock, EWOULDBLOCK, .fails(.locked, "another run works on it")),
    .init(.fsetxattr, ENOTSUP, .downloads), .init(.fsetxattr, ENOSPC, .downloads),
    .init(.fgetxattr, EIO, .downloads),
    .init(.futimens, EPERM, .downloads),
    .init(.fchmod, EPERM, .downloads),
    .init(.fstatfs, EIO, .downloads),
    .init(.poll, EIO, .notMade("of streams only")),
    .init(.openat, of: .small, ENOSPC, .stops("cannot")),
    .init(.openat, of: .small, EACCES, .fails(.localIO, "cannot")),
    .init(.pwrite, of: .small, ENOSPC, .stops("cannot")),
    .init(.pwrite, of: .small, EIO, .fails(.localIO, "cannot")),
    .init(.linkat, of: .small, EIO, .fails(.localIO, "cannot")),
    .init(.linkat, of: .small, ENOSPC, .stops("cannot")),
    .init(.syncfs, of: .small, EIO, .downloads),
    .init(.syncfs, of: .small, ENOSPC, .downloads),
    // A small group is synced file by file.
    .init(
      .fsync, of: .small, EIO,
      .fails(
        .localIO, "the file is in place, but its directory cannot be synced",
        or: "cannot bring the data to stable storage")),
    .init(.fsetxattr, of: .small, ENOTSUP, .downloads),
    .init(.futimens, of: .small, EPERM, .downloads),
    .init(.mkdirat, of: .nested, EACCES, .fails(.localIO, "cannot")),
    .init(.mkdirat, of: .nested, ENOSPC, .stops("cannot")),
    .init(.fsync, of: .nested, EIO, .fails(.localIO, "cannot")),
    .init(.dup, of: .stream, EMFILE, .fails(.localIO, "cannot")),
    .init(.write, of: .stream, EIO, .fails(.localIO, "cannot")),
    .init(.write, of: .stream, ENOSPC, .stops("cannot")),
    .init(.poll, of: .stream, EIO, .fails(.localIO, "cannot")),
  ]
}

@Suite struct `A run on a failing disk` {
  @Test func `is tested for every system call`() {
    #expect(Set(StorageFault.table.map(\.call)) == Set(SystemCall.allCases))
  }

  /// Other threads make some of the calls, so the faults apply to all threads, in a separate process.
  @Test func `ends as the table says, and resumes when the disk works`() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let content = Content.generated(seed: 1, byteCount: 3_000_000)
      let small = (0..<20).map { ("/s\($0)", Content.generated(seed: 2, byteCount: 100)) }
      let files = Dictionary(uniqueKeysWithValues: small + [("/f", content)])
      let server = try ScriptedServer(FileService(files))
      _ = (FileCreationMask.current, BootID.current)
      var complaints: [String] = []
      for row in StorageFault.table { complaints += try Self.complaints(row, server, content) }
      let text = complaints.map { "fault: \($0)\n" }.joined()
      text.withCString { _ = write(2, $0, strlen($0)) }
    }
    let said = try #require(result).standardErrorContent
    let complaints = String(decoding: said, as: UTF8.self).split(separator: "\n").filter { $0.hasPrefix("fault: ") }
    #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
  }

  /// The requests, and the expected content of each file.
  private static func requests(
    _ kind: StorageFault.Kind, _ server: ScriptedServer, _ content: Content
  ) throws -> [(request: DownloadRequest, content: Content)] {
    switch kind {
    case .large: [(try request(0, server.url("/f"), name: "f"), content)]
    case .nested: [(try request(0, server.url("/f"), name: "new/f"), content)]
    case .small:
      try (0..<20).map {
        (try request($0, server.url("/s\($0)"), name: "s\($0)"), Content.generated(seed: 2, byteCount: 100))
      }
    case .stream:
      [
        (
          DownloadRequest(
            item: 0, mirrors: try request(0, server.url("/f"), name: "f").mirrors, target: .standardOutput), content
        )
      ]
    }
  }

  private static func complaints(
    _ row: StorageFault, _ server: ScriptedServer, _ content: Content
  ) throws -> [String] {
    let target = try TemporaryDirectory()
    let wanted = try requests(row.kind, server, content)
    var calls: [RecordedCall] = []
    var errors: [DownloadError?] = []
    var stopped = false
    do {
      calls = try FaultTable.recording(everyThread: true) {
        try FaultTable.withFaults(
          [Fault(row.call, number: row.number, persists: true, .failure(row.errno))], everyThread: true
        ) {
          let run = try EngineRun(wanted.map(\.request), into: target)
          errors = wanted.map { run.error($0.request.item) }
          stopped = run.end.stoppedBy != nil
        }
      }
    } catch let thrown as DownloadError {
      errors = [thrown]
      stopped = true
    }
    // Items that were not started have no error of their own.
    let error = errors.lazy.compactMap { $0 }.first
    let ends = Set(errors.map { $0.map { "\($0)" } ?? "downloaded" })
    let told =
      "\(row.kind) \(row.call.rawValue) \(row.errno) \(row.end): \(ends.sorted().joined(separator: " and ")), "
      + "stopped: \(stopped)"
    var complaints: [String] = []
    switch row.end {
    case .fails(let code, let message, let other):
      let isAsTold = errors.allSatisfy { error in
        error?.code == code && [message, other ?? message].contains { error?.message.hasPrefix($0) == true }
      }
      if !isAsTold { complaints.append(told) }
    case .stops(let message):
      if error?.code != .diskFull || error?.message.hasPrefix(message) != true || !stopped { complaints.append(told) }
    case .downloads:
      if error != nil { complaints.append(told) }
    case .notMade:
      if error != nil || calls.contains(where: { $0.call == row.call }) { complaints.append("made: " + told) }
    }
    if row.kind == .stream { return complaints }
    let names = wanted.map { String(decoding: $0.request.target.name, as: UTF8.self) }
    for (name, error) in zip(names, errors)
    where error?.message.hasPrefix("the file is in place") == false && fileExists(target.path(name)) {
      complaints.append("\(name) has its name: " + told)
    }
    let again = try EngineRun(wanted.map(\.request), into: target)
    for (name, one) in zip(names, wanted) {
      if let error = again.error(one.request.item) { complaints.append("not afterwards: \(error), " + told) }
      if try one.content.firstDifference(inFile: target.path(name)) != nil {
        complaints.append("\(name) has another content: " + told)
      }
    }
    return complaints
  }
}

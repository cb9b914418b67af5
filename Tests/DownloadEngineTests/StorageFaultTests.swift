import Glibc
import TestSupport
import Testing

@testable import DownloadCore
@testable import DownloadEngine
@testable import DownloadFiles

/// A system call that fails permanently from some number on, and the expected result of the run.
struct StorageFault {
  enum End {
    /// The item fails for one of these operations; nil is any before the file has its name.
    case fails(LocalFailure.Operation?, or: LocalFailure.Operation? = nil)
    /// The item fails for want of space, and the run begins nothing more.
    case stops(LocalFailure.Operation?)
    /// Another run seems to hold the target.
    case locked
    /// The call is a convenience: the file arrives all the same.
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
    .init(.openat, EACCES, .fails(.useDirectory)),
    .init(.openat, EMFILE, .fails(.useDirectory)),
    .init(.openat, EIO, .fails(.useDirectory)),
    .init(.openat, ENOSPC, .stops(.useDirectory)),
    .init(.close, EIO, .downloads),
    .init(.dup, EMFILE, .notMade("only standard output is duplicated")),
    .init(.pwrite, ENOSPC, .stops(.openSidecar)),
    .init(.pwrite, EDQUOT, .stops(.openSidecar)),
    .init(.pwrite, EFBIG, .fails(.openSidecar)),
    .init(.pwrite, EIO, .fails(.openSidecar)),
    .init(.pwrite, EROFS, .fails(.openSidecar)),
    .init(.pwrite, number: 4, ENOSPC, .stops(.writeSidecar)),
    .init(.pwrite, number: 4, EDQUOT, .stops(.writeSidecar)),
    .init(.pwrite, number: 4, EFBIG, .fails(.writeSidecar)),
    .init(.pwrite, number: 4, EIO, .fails(.writeSidecar)),
    .init(.pwrite, number: 4, EROFS, .fails(.writeSidecar)),
    .init(.pwrite, number: 5, ENOSPC, .stops(.writePart)),
    .init(.pwrite, number: 5, EDQUOT, .stops(.writePart)),
    .init(.pwrite, number: 5, EFBIG, .fails(.writePart)),
    .init(.pwrite, number: 5, EIO, .fails(.writePart)),
    .init(.pwrite, number: 5, EROFS, .fails(.writePart)),
    // The part file, behind the directory and the sidecar.
    .init(.openat, number: 3, EACCES, .fails(.openPart)),
    .init(.pread, EIO, .fails(.writeSidecar)),
    .init(.write, EIO, .notMade("of streams only")),
    .init(.ftruncate, EIO, .notMade("of part files only that are longer than what is recorded of them")),
    .init(.fdatasync, EIO, .notMade("of files that take more than a second: `A failed sync` has those")),
    .init(.fsync, EIO, .fails(nil)),
    .init(.fsync, ENOSPC, .stops(nil)),
    .init(.fsync, EINVAL, .downloads), .init(.fsync, EOPNOTSUPP, .downloads), .init(.fsync, ENOSYS, .downloads),
    .init(.fsync, of: .nested, EINVAL, .downloads),
    .init(.fsync, of: .small, EOPNOTSUPP, .downloads),
    .init(.syncfs, EIO, .notMade("of many small files only")),
    .init(.sync, EIO, .notMade("where syncfs does not exist")),
    .init(.syncFileRange, EIO, .downloads),
    .init(.renameat, EACCES, .fails(.nameTarget)),
    .init(.renameat, EIO, .fails(.nameTarget)),
    .init(.renameat, ENOSPC, .stops(.nameTarget)),
    .init(.linkat, EIO, .notMade("of large files, where a rename spares what is there")),
    .init(.unlinkat, EIO, .fails(.removeSidecar)),
    .init(.mkdirat, EACCES, .notMade("the directory is there")),
    .init(.fstat, EIO, .fails(nil)),
    .init(.fstatat, EIO, .fails(nil)),
    .init(.fstatat, EACCES, .fails(nil)),
    .init(.flock, ENOLCK, .downloads), .init(.flock, EOPNOTSUPP, .downloads),
    .init(.flock, EWOULDBLOCK, .locked),
    .init(.fsetxattr, ENOTSUP, .downloads), .init(.fsetxattr, ENOSPC, .downloads),
    .init(.fremovexattr, EIO, .notMade("of files only that are there and lose their entity tag")),
    .init(.fgetxattr, EIO, .downloads), .init(.getxattrat, EIO, .downloads),
    .init(.futimens, EPERM, .downloads),
    .init(.fchmod, EPERM, .downloads),
    .init(.fstatfs, EIO, .downloads),
    .init(.poll, EIO, .notMade("of streams only")),
    .init(.openat, of: .small, ENOSPC, .stops(nil)),
    .init(.openat, of: .small, EACCES, .fails(nil)),
    .init(.pwrite, of: .small, ENOSPC, .stops(nil)),
    .init(.pwrite, of: .small, EIO, .fails(nil)),
    .init(.linkat, of: .small, EIO, .fails(nil)),
    .init(.linkat, of: .small, ENOSPC, .stops(nil)),
    .init(.syncfs, of: .small, EIO, .downloads),
    .init(.syncfs, of: .small, ENOSPC, .downloads),
    // A small group is synced file by file.
    .init(
      .fsync, of: .small, EIO,
      .fails(.syncDirectory, or: .syncContent)),
    .init(.fsetxattr, of: .small, ENOTSUP, .downloads),
    .init(.futimens, of: .small, EPERM, .downloads),
    .init(.mkdirat, of: .nested, EACCES, .fails(nil)),
    .init(.mkdirat, of: .nested, ENOSPC, .stops(nil)),
    .init(.fsync, of: .nested, EIO, .fails(nil)),
    .init(.dup, of: .stream, EMFILE, .fails(nil)),
    .init(.write, of: .stream, EIO, .fails(nil)),
    .init(.write, of: .stream, ENOSPC, .stops(nil)),
    .init(.poll, of: .stream, EIO, .fails(nil)),
  ]
}

@Suite(.waiting) struct `A run on a failing disk` {
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
  ) throws -> [(request: FileRequest, content: Content)] {
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
          FileRequest(
            task: 0, mirrors: try request(0, server.url("/f"), name: "f").mirrors, target: .standardOutput), content
        )
      ]
    }
  }

  private static func operation(_ error: Failure?) -> LocalFailure.Operation? {
    if case .local(let failure)? = error?.cause { failure.operation } else { nil }
  }

  /// Whether the file has its name all the same.
  private static func isInPlace(_ error: Failure?) -> Bool {
    operation(error) == .removeSidecar || operation(error) == .syncDirectory
  }

  /// - Parameter wanted: nil is any before the file has its name.
  private static func has(_ error: Failure?, _ wanted: LocalFailure.Operation?) -> Bool {
    guard let found = operation(error) else { return false }
    return wanted.map { $0 == found } ?? !isInPlace(error)
  }

  private static func complaints(
    _ row: StorageFault, _ server: ScriptedServer, _ content: Content
  ) throws -> [String] {
    let target = try TemporaryDirectory()
    let wanted = try requests(row.kind, server, content)
    var calls: [RecordedCall] = []
    var errors: [Failure?] = []
    var stopped = false
    do {
      calls = try FaultTable.recording(everyThread: true) {
        try FaultTable.withFaults(
          [Fault(row.call, number: row.number, persists: true, .failure(row.errno))], everyThread: true
        ) {
          let run = try EngineRun(wanted.map(\.request), into: target)
          errors = wanted.map { run.error($0.request.task.position) }
          stopped = run.end.stoppedBy != nil
        }
      }
    } catch let thrown as Failure {
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
    case .fails(let operation, let other):
      let isAsTold = errors.allSatisfy { error in
        error?.code == .localIO && (has(error, operation) || other != nil && has(error, other))
      }
      if !isAsTold { complaints.append(told) }
    case .stops(let operation):
      if error?.code != .diskFull || !has(error, operation) || !stopped { complaints.append(told) }
    case .locked:
      let isAsTold = errors.allSatisfy { if case .locked? = $0?.cause { true } else { false } }
      if !isAsTold { complaints.append(told) }
    case .downloads:
      if error != nil { complaints.append(told) }
    case .notMade:
      if error != nil || calls.contains(where: { $0.call == row.call }) { complaints.append("made: " + told) }
    }
    if row.kind == .stream { return complaints }
    let names = wanted.map { String(decoding: $0.request.target.name, as: UTF8.self) }
    for (name, error) in zip(names, errors)
    where error != nil && !isInPlace(error) && fileExists(target.path(name)) {
      complaints.append("\(name) has its name: " + told)
    }
    let beginning: [LocalFailure.Operation] = [.openSidecar, .writeSidecar, .openPart]
    // Without fstat nothing says whose a file is.
    if row.kind == .large, row.call != .fstat, let operation = operation(error), beginning.contains(operation),
      !target.names().isEmpty
    {
      complaints.append("leaves \(target.names()): " + told)
    }
    let again = try EngineRun(wanted.map(\.request), into: target)
    for (name, one) in zip(names, wanted) {
      if let error = again.error(one.request.task.position) { complaints.append("not afterwards: \(error), " + told) }
      if try one.content.firstDifference(inFile: target.path(name)) != nil {
        complaints.append("\(name) has another content: " + told)
      }
    }
    return complaints
  }
}

/// What a task does, or how it has ended.
public enum DownloadTaskState: Hashable, Sendable {
  /// It begins, or goes on, when what it waits for has come.
  case waiting(DownloadTaskWait)
  /// A server is asked, or sends the file.
  case running
  /// The file is there and checked, synced or named.
  case verifying
  /// It is kept from going on by itself, its group or the session. Its bytes are kept.
  case paused(by: DownloadTaskPausedBy)
  /// The file is in its place.
  case succeeded(DownloadedFile)
  /// The file could not be had.
  case failed(DownloadError)
  /// A command has ended it; no bytes are kept.
  case cancelled
  /// The session has forgotten it.
  case removed

  /// A state without what belongs to it.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// It begins, or goes on, when what it waits for has come.
    case waiting
    /// A server is asked, or sends the file.
    case running
    /// The file is there and checked, synced or named.
    case verifying
    /// It is kept from going on.
    case paused
    /// The file is in its place.
    case succeeded
    /// The file could not be had.
    case failed
    /// A command has ended it.
    case cancelled
    /// The session has forgotten it.
    case removed

    /// Whether the task has ended, so that only a command lets it begin again.
    public var isSettled: Bool {
      switch self {
      case .waiting, .running, .verifying, .paused: false
      case .succeeded, .failed, .cancelled, .removed: true
      }
    }
  }

  /// The state without what belongs to it.
  public var kind: Kind {
    switch self {
    case .waiting: .waiting
    case .running: .running
    case .verifying: .verifying
    case .paused: .paused
    case .succeeded: .succeeded
    case .failed: .failed
    case .cancelled: .cancelled
    case .removed: .removed
    }
  }

  /// Whether the task has ended, so that only a command lets it begin again.
  public var isSettled: Bool { kind.isSettled }
}

/// What a task waits for.
public enum DownloadTaskWait: Hashable, Sendable {
  /// A free place, of the limits of session, group or host.
  case slot
  /// A process that works on the session. None does.
  case worker
  /// Its target is looked at.
  case checking
  /// Its host: a connection, or a time after which it may be asked again.
  case host
  /// The time before the next try.
  case retry
  /// Another process or session works on the file; its process id where that is known.
  case busyTarget(process: Int32?)
  /// The network is lost. The task goes on when it is there again.
  case network
  /// The disk is full. It is looked at again from time to time.
  case diskFull
  /// A secret that is not in the session's store: `user`, `header NAME` or `proxy`. Settings or a request of the same file
  /// bring it.
  indirect case credentials(String)
  /// A closure of `DownloadPolicy` that the program had which added the task: `source`, `credential`, `accepts`, `validate` or `name`.
  indirect case policy(String)
}

/// By what a task is paused; each is set and cleared by itself.
public struct DownloadTaskPausedBy: OptionSet, Hashable, Sendable {
  /// The bits.
  public let rawValue: UInt8
  /// The task itself.
  public static let task = DownloadTaskPausedBy(rawValue: 1)
  /// Its group.
  public static let group = DownloadTaskPausedBy(rawValue: 2)
  /// The session.
  public static let session = DownloadTaskPausedBy(rawValue: 4)

  /// - Parameter rawValue: the bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }
}

extension DownloadTaskState: CustomStringConvertible {
  /// A short text: `waiting (disk full)`, `failed: …`.
  public var description: String {
    switch self {
    case .waiting(let wait): "waiting (\(wait))"
    case .failed(let error): "failed: \(error.message)"
    default: kind.rawValue
    }
  }
}

extension DownloadTaskWait: CustomStringConvertible {
  /// What is waited for.
  public var description: String {
    switch self {
    case .slot: "for a free place"
    case .worker: "for a process that works on the session"
    case .checking: "checking what is there"
    case .host: "for the host"
    case .retry: "to try again"
    case .busyTarget(let process): "another download works on the file" + (process.map { ", PID \($0)" } ?? "")
    case .network: "for the network"
    case .diskFull: "disk full"
    case .credentials(let what): "for credentials: \(what)"
    case .policy(let name): "for a program with the policy \(name)"
    }
  }
}

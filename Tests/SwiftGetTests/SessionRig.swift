import Glibc
import TestSupport

@testable import SwiftGet

/// A session in a directory of its own, and a server that a test scripts.
final class SessionRig: Sendable {
  let target: TemporaryDirectory
  let server: ScriptedServer
  let service: FileService
  let session: DownloadSession
  /// Whether the server answers; requests wait until it does.
  let isOpen = Locked(true)
  /// Whether requests for what follows the beginning of a file wait.
  private let isStalled = Locked(false)
  /// From which request on the server refuses; nil for none.
  private let refused = Locked<Int?>(nil)

  /// - Parameters:
  ///   - files: contents by path.
  ///   - behave: how the server behaves.
  ///   - configure: changes the session's configuration.
  init(
    _ files: [String: Content], _ behave: (inout FileService.Behaviour) -> Void = { _ in },
    configure: (inout DownloadSession.Configuration) -> Void = { _ in }
  ) throws {
    target = try TemporaryDirectory()
    service = FileService(files, behave)
    server = try ScriptedServer { [service, refused, isOpen, isStalled] request in
      let start = request.rangeHeader.flatMap { Int($0.dropFirst(6).prefix { $0 != "-" }) } ?? 0
      while !isOpen.withLock({ $0 }) || start >= 100_000 && isStalled.withLock({ $0 }) { pause(seconds: 0.002) }
      if let first = refused.withLock({ $0 }), request.index >= first { return [.respond(403)] }
      return service.steps(for: request)
    }
    session = Self.session(in: target, configure)
  }

  /// Requests that wait would keep the server from ending.
  deinit {
    goOn()
    isOpen.withLock { $0 = true }
  }

  static func session(
    in target: TemporaryDirectory, _ configure: (inout DownloadSession.Configuration) -> Void = { _ in }
  ) -> DownloadSession {
    DownloadSession.anonymous(configuration(in: target, configure))
  }

  static func configuration(
    in target: TemporaryDirectory, _ configure: (inout DownloadSession.Configuration) -> Void = { _ in }
  ) -> DownloadSession.Configuration {
    // A disk under load takes its time, which tests do not measure.
    SessionDriver.longestAnswer.withLock { $0 = .seconds(600) }
    var configuration = DownloadSession.Configuration()
    configuration.directory = target.path
    configuration.settings.tries = 1
    // Tests stall on purpose, and answer late while others compute.
    configuration.settings.stallTimeout = .seconds(600)
    configuration.policy.timeLimit = .seconds(600)
    configure(&configuration)
    return configuration
  }

  /// Each file comes this far and no further, until `goOn`.
  func stall(after byteCount: Int64 = 300_000) {
    service.change { $0.stallsAfter = byteCount }
    isStalled.withLock { $0 = true }
  }

  /// Answers to further requests are whole.
  func goOn() {
    service.change { $0.stallsAfter = nil }
    isStalled.withLock { $0 = false }
  }

  func request(
    _ path: String, name: String? = nil, checksum: FileChecksum? = nil, key: String? = nil, group: String? = nil
  ) -> DownloadRequest {
    DownloadRequest(server.url(path), name: name, checksum: checksum, key: key, group: group)
  }

  /// Adds a file that is cut halfway and refused then, and returns when it has failed. Afterwards it is served.
  func failHalfway(_ request: DownloadRequest) async throws -> DownloadTask {
    service.change { $0.cutAfter = 1_000_000 }
    refused.withLock { $0 = server.requests.count + 1 }
    let task = try await session.add(request).task
    _ = await thrown { try await task.result() }
    service.change { $0.cutAfter = nil }
    refused.withLock { $0 = nil }
    return task
  }

  func isRight(_ name: String, _ content: Content) throws -> Bool {
    try content.firstDifference(inFile: target.path(name)) == nil
  }
}

/// Waits until something holds, on the executor of the test.
func eventually(_ condition: () async throws -> Bool) async rethrows -> Bool {
  let end = monotonicSeconds() + 300
  while try await !condition() {
    if monotonicSeconds() > end { return false }
    try? await Task.sleep(for: .milliseconds(5))
  }
  return true
}

/// What a call throws.
func thrown<Value>(_ body: () async throws -> Value) async -> (any Error)? {
  do {
    _ = try await body()
    return nil
  } catch { return error }
}

func code<Value>(_ body: () async throws -> Value) async -> DownloadError.Code? {
  (await thrown(body) as? DownloadError)?.code
}

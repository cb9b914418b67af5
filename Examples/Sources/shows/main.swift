// An actor that owns a queue: shows DIRECTORY SHOW=URL...
//
// Every show is a group. By day the news get one file at a time, and everything together half a megabyte a second.
import Glibc
import SwiftGet

actor Library {
  private let session: DownloadSession
  private(set) var finished: [String: DownloadedFile] = [:]
  private(set) var failed: [String: DownloadError] = [:]

  init(directory: String) {
    var configuration = DownloadSession.Configuration()
    configuration.directory = directory
    session = .anonymous(configuration)
  }

  /// Fetches an episode. One that is wanted again comes first.
  func want(_ url: String, of show: String) async throws {
    let added = try await session.add(DownloadRequest(url, key: url, group: show))
    if added.isExisting { try await added.task.prioritize(10) }
    // They use the actor's state, so they run on the actor.
    added.task.onSuccess { self.finished[url] = $0 }.onFailure { self.failed[url] = $0 }
  }

  func day(_ isDay: Bool) async throws {
    try await session.limit { $0.bytesPerSecond = isDay ? 500_000 : nil }
    try await session.group("news").limit { $0.activeFiles = isDay ? 1 : nil }
  }

  func retryFailures() async throws -> CommandEffect {
    failed = [:]
    return try await session.selection(.state(.failed)).retry()
  }

  /// Waits until nothing is left to do, and until the handlers have told so.
  func settled() async throws {
    try await session.settled()
    while finished.count + failed.count < session.latestTotals.files { try await Task.sleep(for: .milliseconds(5)) }
  }
}

let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count >= 2 else {
  print("usage: shows DIRECTORY SHOW=URL...")
  exit(2)
}
let library = Library(directory: arguments[0])
for episode in arguments.dropFirst() {
  let parts = episode.split(separator: "=", maxSplits: 1).map(String.init)
  try await library.want(parts[parts.count - 1], of: parts[0])
}
try await library.day(true)
try await library.day(false)
try await library.settled()
if await !library.failed.isEmpty {
  print("again: \(try await library.retryFailures().changed)")
  try await library.settled()
}
for file in await library.finished.values.sorted(by: { $0.path < $1.path }) { print("watch", file) }
for error in await library.failed.values { print("missing", error) }
exit(await library.failed.isEmpty ? 0 : 1)

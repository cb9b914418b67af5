// library files LIST DIRECTORY: downloads the URLs of a list, a line each.
// library watch COUNT URL DIRECTORY: downloads a file while so many loops follow the session.
import Glibc
import SwiftGet

let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count >= 3 else { exit(2) }
var configuration = DownloadSession.Configuration()
configuration.directory = arguments.last!
let session = DownloadSession.anonymous(configuration)
do {
  if arguments[0] == "files" {
    let added = try await session.add(DownloadList(contentsOf: arguments[1]))
    print(try await added.files().count)
  } else {
    for _ in 0..<(Int(arguments[1]) ?? 0) {
      Task.detached {
        var bytes: Int64 = 0
        for await change in session.changes { if case .task(let task) = change { bytes = task.progress.bytes } }
        _ = bytes
      }
    }
    print(try await session.add(DownloadRequest(arguments[2])).task.result().size)
  }
  await session.close()
} catch {
  print(error)
  exit(1)
}

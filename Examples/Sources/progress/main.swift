// A printer of progress: progress DIRECTORY URL...
//
// It follows a session by its changes: every task as it is first, then whatever is new, each end once.
import Glibc
import SwiftGet

let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count >= 2 else {
  print("usage: progress DIRECTORY URL...")
  exit(2)
}
var configuration = DownloadSession.Configuration()
configuration.directory = arguments[0]
configuration.limits.activeFiles = 4
let session = DownloadSession.anonymous(configuration)

let changes = session.changes.every(.seconds(1))
let printer = Task {
  for await change in changes {
    switch change {
    case .task(let task): print("  #\(task.number) \(task.state) \(task.fileName): \(task.progress)")
    case .ended(let task, let number): print("end \(number): #\(task.number) \(task.fileName) \(task.state)")
    case .totals(let totals): print(totals)
    case .removed, .condition, .worker, .upToDate, .gap: break
    }
  }
}
let added = try await session.add(arguments.dropFirst().map { DownloadRequest($0) })
for failure in added.failures { print("\(arguments[failure.index + 1]): \(failure.error.message)") }
let totals = try await session.settled()
await session.close()
await printer.value
exit(totals.filesDone == arguments.count - 1 ? 0 : 1)

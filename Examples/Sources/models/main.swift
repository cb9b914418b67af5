// A server that refuses to start without its files: models DIRECTORY BASE-URL NAME=SHA256...
//
// Files that are there and right are not fetched again, so the second start is quick.
import Glibc
import SwiftGet

/// Stands for what the program is there for.
func serve(_ files: [DownloadedFile]) async {
  for file in files { print("serving \(file.path), \(file.size) bytes") }
}

let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count >= 3 else {
  print("usage: models DIRECTORY BASE-URL NAME=SHA256...")
  exit(2)
}
let requests = arguments.dropFirst(2).map { model in
  let parts = model.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
  return DownloadRequest(
    arguments[1] + "/" + parts[0], into: arguments[0], checksum: .sha256(parts.count == 2 ? parts[1] : ""))
}
do {
  let files = try await download(requests) { print($0) }
  await serve(files)
} catch let failures as DownloadFailures {
  print("cannot start:", failures)
  exit(failures.exitStatus)
}

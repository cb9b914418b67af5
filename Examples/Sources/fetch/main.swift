// A downloader: fetch [-d DIRECTORY] [-o NAME] [-c CHECKSUM] URL...
//
// It prints each finished file, and ends with the status of what failed. Started again after Ctrl-C, it goes on.
import Glibc
import SwiftGet

/// What the command line says.
struct Arguments {
  var directory = "."
  var name: String?
  var checksum: FileChecksum?
  var urls: [String] = []

  init?(_ arguments: some Sequence<String>) {
    var rest = arguments.makeIterator()
    while let argument = rest.next() {
      switch argument {
      case "-d": directory = rest.next() ?? directory
      case "-o": name = rest.next()
      case "-c": checksum = rest.next().map { FileChecksum($0) }
      default: urls.append(argument)
      }
    }
    let namesOne = name == nil && checksum == nil
    guard !urls.isEmpty, namesOne || urls.count == 1 else { return nil }
  }

  var requests: [DownloadRequest] {
    urls.map { DownloadRequest($0, into: directory, name: name, checksum: checksum) }
  }
}

func show(_ text: String) { _ = text.withCString { write(2, $0, strlen($0)) } }
func complain(_ text: String) { show(text + "\n") }

guard let arguments = Arguments(CommandLine.arguments.dropFirst()) else {
  complain("usage: fetch [-d DIRECTORY] [-o NAME] [-c CHECKSUM] URL...")
  exit(2)
}
let isTerminal = isatty(2) == 1
do {
  let files = try await download(arguments.requests) { totals in
    if isTerminal { show("\r\u{1b}[K\(totals)") }
  }
  if isTerminal { show("\n") }
  for file in files {
    print(file.path + (file.wasKept ? " (was there)" : "") + (file.verified.map { ", \($0)" } ?? ""))
  }
} catch let failures as DownloadFailures {
  for file in failures.files { print(file.path) }
  for error in failures.errors { complain("fetch: \(error)") }
  exit(failures.exitStatus)
} catch {
  complain("fetch: \(error)")
  exit(1)
}

// A queue that outlasts its process: queue NAME SESSIONS DIRECTORY < COMMANDS
//
// Each line is a command: `add KEY URL`, or one of pause, resume, retry, cancel, remove, first with a KEY, `tries KEY N`,
// `wait`. What is answered with `ok` holds, whatever happens to this process. Started again, the queue goes on.
import Glibc
import SwiftGet

/// At once, also into a pipe.
func say(_ text: String) { _ = (text + "\n").withCString { write(STDOUT_FILENO, $0, strlen($0)) } }

func obey(_ words: [String], _ session: DownloadSession) async throws {
  switch (words[0], words.count) {
  case ("add", 3): try await session.add(DownloadRequest(words[2], name: words[1], key: words[1]))
  case ("pause", 2): try await session.task(key: words[1]).pause()
  case ("resume", 2): try await session.task(key: words[1]).resume()
  case ("retry", 2): try await session.task(key: words[1]).retry()
  case ("cancel", 2): try await session.task(key: words[1]).cancel()
  case ("remove", 2): try await session.task(key: words[1]).remove()
  case ("first", 2): try await session.task(key: words[1]).move(to: .first)
  case ("tries", 3): try await session.task(key: words[1]).set { $0.tries = Int(words[2]) }
  case ("wait", 1): try await session.settled()
  default: say("unknown command")
  }
}

guard CommandLine.arguments.count == 4 else {
  print("usage: queue NAME SESSIONS DIRECTORY < COMMANDS")
  exit(2)
}
do {
  var configuration = DownloadSession.Configuration()
  configuration.directory = CommandLine.arguments[3]
  let session = try await DownloadSession.open(
    CommandLine.arguments[1], in: CommandLine.arguments[2], configuration: configuration)
  say("ready")
  while let line = readLine() {
    do {
      try await obey(line.split(separator: " ").map(String.init), session)
      say("ok \(line)")
    } catch { say("error \(line): \(error)") }
  }
  await session.close()
} catch {
  print("error: \(error)")
  exit(1)
}

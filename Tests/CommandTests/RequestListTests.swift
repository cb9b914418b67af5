import DownloadCore
import Glibc
import TestSupport
import Testing

@testable import CommandOptions
@testable import DownloadLists
@testable import DownloadWords

/// What a run gets of its lists.
private struct Reading: Equatable {
  var problems: [String] = []
  var origins: Set<Origin> = []
  var itemCount: Int?
  var emptyLists: [String] = []
  var requests: [FileRequest] = []

  init(_ invocation: Invocation, fetched: [Int: FetchedList] = [:]) {
    do throws(Failure) {
      let list = try RequestList(
        invocation.lists, invocation.naming, for: invocation.work,
        takesSuggestedNames: invocation.settings.target.takesSuggestedNames, writing: invocation.records,
        notedIn: DecidingInputs(), fetched: fetched)
      let findings = try list.check()
      problems = findings.problems.map(\.message)
      origins = findings.namedOrigins
      itemCount = list.itemCount
      emptyLists = list.emptyLists.map(\.name)
      while problems.isEmpty, let request = try list.next() { requests.append(request) }
    } catch {
      problems = ["\(error.code) \(error.message)"]
    }
  }
}

@Suite struct `Requests of lists` {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func invocation(_ lists: [String]) -> Invocation {
    var invocation = Invocation()
    invocation.lists.inputs = lists.map { Array(directory.path($0).utf8) }
    return invocation
  }

  /// A list with valid and invalid lines of each kind, some of them twice.
  private func list(_ generator: inout SeededGenerator, _ format: ListFormat, start: Int) -> String {
    let digests = ["0", "1"].map { String(repeating: $0, count: 32) }
    var text = format == .csv ? "url,out,md5,size\n" : ""
    for line in 0..<Int.random(in: 0...12, using: &generator) {
      let isRepeated = Int.random(in: 0..<20, using: &generator) == 0
      let number = isRepeated ? Int.random(in: 0...3, using: &generator) : start + line
      let digest = digests[isRepeated ? Int.random(in: 0...1, using: &generator) : 0]
      let forms =
        switch format {
        case .checksums:
          [
            "\(digest)  \(number)", "\(digest)  \(number)", "\(digest) *d/\(number)", "\\\(digest)  e\\\\\(number)",
            "MD5 (\(number)) = \(digest)", "\(digest)  http://h/\(number)", "\(digest)\(digest)  \(number)",
          ]
        case .jsonl:
          [
            "{\"url\": \"http://h/\(number)\"}", "{\"url\": \"http://h/a\", \"out\": \"o/\(number)\"}",
            "{\"url\": \"https://h/\(number)?q\", \"checksum\": \"md5:\(digest)\", \"size\": \(number)}",
          ]
        case .csv:
          [
            "http://h/\(number),,,", "http://h/\(number),,\(digest),\(number)", "https://i/\(number),o/\(number),,1",
            "\"http://h/\(number)\",\"x\"\"\(number)\",,", "http://h/%41\(number),,,", "http://h/\(number)?q,,,",
          ]
        default:
          [
            "http://h/\(number)", "http://h/\(number)", "http://h/d/\(number)", "https://u:p@h:1/\(number)?q=\(number)",
            "http://h/%41\(number)", "http://h/\(number)#md5=\(digest)", "http://h/\(number)\thttp://i/\(number)",
            "http://h/\(number)\n out=x\(number)", "http://h/\(number)\n# c\n dir=d", "http://h//\(number)",
          ]
        }
      text += forms.randomElement(using: &generator)! + "\n"
      if Int.random(in: 0..<200, using: &generator) == 0 { text += "nonsense\n" }
    }
    return text
  }

  /// A filter that lets everything through needs the request of every entry.
  @Test func `are the same whether or not all entries are made requests for the check`() throws {
    var seen = (merged: 0, refused: 0, read: 0)
    for round in 0..<max(1, Fuzz.rounds / 20) {
      let seed = Fuzz.seed &+ UInt64(round)
      var generator = SeededGenerator(seed: seed)
      let formats: [ListFormat] = [.urlList, .checksums, .csv, .jsonl].shuffled(using: &generator)
      for (index, format) in formats.enumerated() {
        try directory.write("\(index)", list(&generator, format, start: 100 * index))
      }
      var invocation = invocation(["0", "1"])
      invocation.lists.baseURL = Int.random(in: 0..<20, using: &generator) == 0 ? nil : Array("https://b/x".utf8)
      switch Int.random(in: 0..<10, using: &generator) {
      case 0: invocation.naming.strippedComponentCount = 1
      case 1: invocation.naming.makesDirectories = true
      case 2: invocation.settings.target.nameSource = .answer
      case 3: invocation.naming.template = try OutputTemplate(text: Array("{n}-{name}".utf8))
      default: break
      }
      let reading = Reading(invocation)
      invocation.lists.filter.included = [Array("**".utf8)]
      #expect(reading == Reading(invocation), "seed \(seed)")
      if reading.problems.contains(where: { $0.contains("would both be written") }) { seen.refused += 1 }
      if let last = reading.requests.last, last.task.position >= reading.requests.count { seen.merged += 1 }
      seen.read += reading.requests.count
    }
    #expect(Fuzz.rounds < 1000 || (seen.merged > 0 && seen.refused > 0 && seen.read > 0), "\(seen)")
  }

  @Test func `that need one name as a file and as a directory are refused`() throws {
    var refusedCount = 0
    for round in 0..<max(50, Fuzz.rounds / 20) {
      let seed = Fuzz.seed &+ UInt64(round)
      var generator = SeededGenerator(seed: seed)
      let names = Set(
        (0..<Int.random(in: 1...6, using: &generator)).map { _ in
          (0..<Int.random(in: 1...3, using: &generator)).map { _ in ["a", "b", "ä"].randomElement(using: &generator)! }
            .joined(separator: "/")
        }
      ).shuffled(using: &generator)
      // Plain entries, and others.
      let digest = String(repeating: "0", count: 32)
      let lines = names.enumerated().map { number, name in
        generator.next().isMultiple(of: 2)
          ? "http://h/\(number)\n  out=\(name)\n" : "http://h/\(number)\n  out=\(name)\n  checksum=md5=\(digest)\n"
      }
      let isPlain = round.isMultiple(of: 2)
      try directory.write("0", isPlain ? names.map { "\(digest)  \($0)\n" }.joined() : lines.joined())
      var invocation = invocation(["0"])
      invocation.lists.baseURL = Array("https://b/".utf8)
      let reading = Reading(invocation)
      let isRefused = reading.problems.contains { $0.contains("to the place of a directory that") }
      let isConflict = names.contains { name in names.contains { $0.hasPrefix(name + "/") } }
      #expect(isRefused == isConflict && reading.problems.isEmpty == !isConflict, "seed \(seed): \(names)")
      if isConflict { refusedCount += 1 }
    }
    #expect(refusedCount > 5)
  }

  @Test(arguments: [true, false])
  func `that would be written to a file of the run are refused, plain or not`(isPlain: Bool) throws {
    let digest = String(repeating: "0", count: 32)
    try directory.write(
      "0", isPlain ? "\(digest)  a\n\(digest)  r\n" : "http://h/a\n  checksum=md5=\(digest)\nhttp://h/r\n")
    var invocation = invocation(["0"])
    invocation.lists.baseURL = Array("https://b/".utf8)
    invocation.naming.directory = Array(directory.path.utf8)
    invocation.records.report = Array(directory.path("r").utf8)
    let reading = Reading(invocation)
    #expect(reading.problems.count == 1 && reading.problems[0].contains("would both be written to"), "\(reading)")
  }

  @Test func `from the network have no credentials, whatever lists of this machine have`() throws {
    try directory.write("local", "http://u:p@h/a\nhttp://u:p@h/b\nhttp://u:p@h/c\n")
    try directory.write("fetched", "http://u:p@h/d\nhttp://u:p@h/e\nhttp://u:p@h/f\nhttp://h/g\n")
    let url = MirrorURL(location: Location(scheme: .http, host: "h", port: 80, path: "/list", query: nil))
    let file = OpenFile(open(directory.path("fetched"), O_RDONLY | O_CLOEXEC))
    let reading = Reading(
      invocation(["local", "fetched"]), fetched: [1: FetchedList(file: file, url: url, location: url.location)])
    #expect(reading.problems.count == 3 && reading.problems.allSatisfy { $0.contains("a user name or password") })
  }
}

import DownloadCore
import Glibc
import TestSupport
import Testing

@testable import CommandOptions
@testable import DownloadLists
@testable import DownloadWords

/// `--shard`, as far as lists are concerned.
@Suite(.waiting) struct `Lists in shards` {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// The names of a shard's files, and how many files are in others.
  private func names(
    _ lines: [String], _ shard: Shard?, change: (inout Invocation) -> Void = { _ in }
  ) throws(Failure) -> (names: [String], others: Int) {
    do { try directory.write("list", lines.joined()) } catch { throw Failure(.other, "\(error)") }
    var invocation = Invocation()
    invocation.lists.inputs = [Array(directory.path("list").utf8)]
    invocation.naming.directory = Array("/srv/data".utf8)
    invocation.lists.shard = shard
    change(&invocation)
    let list = try RequestList(
      invocation.lists, invocation.naming, for: .download,
      takesSuggestedNames: invocation.settings.target.takesSuggestedNames, notedIn: DecidingInputs())
    if let problem = try list.check().problems.first { throw problem }
    var names: [String] = []
    while let request = try list.next() {
      names.append(String(decoding: request.target.name, as: UTF8.self))
    }
    #expect(list.itemCount == names.count)
    var revisited: [String] = []
    try list.revisit(skipping: { _ in false }) { found in
      guard case .item(let listed) = found else { return }
      revisited.append(String(decoding: listed.request.target.name, as: UTF8.self))
    }
    #expect(revisited == names)
    return (names, list.otherShardsItemCount)
  }

  private static func shards(_ count: Int64) -> [Shard] { (1...count).compactMap { Shard(number: $0, of: count) } }

  /// Lines of a URL list, plain ones and others, some of them twice.
  private static func lines(_ generator: inout SeededGenerator, _ count: Int) -> [String] {
    (0..<count).map { number in
      let number = Int.random(in: 0..<10, using: &generator) == 0 ? 0 : number
      return switch number % 5 {
      case 0: "http://h/d/\(number)\n"
      case 1: "http://h/%41\(number)?q\n"
      case 2: "http://h/x\n out=o/\(number)\n"
      case 3: "http://h/y\(number)\n dir=/srv//data/./d\n"
      default: "http://h/z\(number)\thttp://i/z\n dir=/other\n"
      }
    }
  }

  @Test(arguments: 0..<UInt64(Fuzz.rounds / 100))
  func `have each file once, wherever it stands and whatever else there is`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let lines = Self.lines(&generator, Int.random(in: 0...40, using: &generator))
    let count = Int64.random(in: 1...6, using: &generator)
    let whole = try names(lines, nil).names
    var shardOfName: [String: Shard] = [:]
    for shard in Self.shards(count) {
      let (names, others) = try names(lines, shard)
      #expect(names.count + others == whole.count, "seed \(seed)")
      for name in names { #expect(shardOfName.updateValue(shard, forKey: name) == nil, "seed \(seed): \(name) twice") }
    }
    #expect(Set(whole) == Set(shardOfName.keys), "seed \(seed)")
    let others = Self.lines(&generator, 30).map { $0.replacing("http://h/", with: "http://h/more/") }
    let reordered = (lines.filter { _ in Bool.random(using: &generator) } + others).shuffled(using: &generator)
    for shard in Self.shards(count) {
      guard let found = try? names(reordered, shard).names else { continue }
      for name in found { #expect(shardOfName[name] ?? shard == shard, "seed \(seed): \(name)") }
    }
  }

  @Test func `can be told with sha256sum`() throws {
    let script = """
      for name in d/1 'ä b' ../x; do
        digits=$(printf %s "$name" | sha256sum | cut -c 1-8)
        echo $((0x$digits % 7 + 1))
      done
      """
    let told = try runProgram("/bin/sh", ["-c", script]).outputText.split(separator: "\n").compactMap { Int64($0) }
    let lines = [
      "http://h/q\n out=d/1\n", "http://h/q\n out=ä b\n", "http://h/q\n dir=/srv/data/d\n out=1\n",
    ]
    for (line, number) in [(lines[0], told[0]), (lines[1], told[1]), (lines[2], told[0])] {
      for shard in Self.shards(7) {
        #expect(try names([line], shard).names.count == (shard.number == number ? 1 : 0), "\(line)")
      }
    }
  }

  @Test func `do not depend on where the target directory is`() throws {
    var generator = SeededGenerator(seed: 7)
    let lines = Self.lines(&generator, 30).filter { !$0.contains("dir=") }
    for shard in Self.shards(3) {
      let here = try names(lines, shard)
      let there = try names(lines, shard) { $0.naming.directory = Array("t".utf8) }
      #expect(here.names == there.names && here.others == there.others)
    }
  }

  @Test func `are by the URL where servers give the names`() throws {
    let lines = (0..<40).map { "http://h/download?id=\($0)\n" }
    let counts = try Self.shards(4).map { shard in
      try names(lines, shard) { $0.settings.target.nameSource = .answer }.names.count
    }
    #expect(counts.reduce(0, +) == 40 && counts.allSatisfy { $0 > 0 }, "\(counts)")
  }

  @Test func `are compared with each other before the start`() throws {
    for lines in [["http://h/a\n", "http://i/a\n"], ["http://h/a\n", "nonsense\n"]] {
      for shard in Self.shards(4) {
        let error = #expect(throws: Failure.self) { try names(lines, shard) }
        #expect(error?.code == .usage)
      }
    }
  }
}

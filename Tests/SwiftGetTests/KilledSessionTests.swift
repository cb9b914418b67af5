import DownloadCore
import DownloadStore
import Glibc
import TestSupport
import Testing

@testable import SwiftGet

/// What a session has after its process was killed: what was answered, and of the command that was not, all or nothing.
@Suite(.waiting) struct `Sessions whose process is killed` {
  /// What a task should be.
  private struct Wanted: Equatable {
    /// Nil if it depends on whether it had settled.
    var isPaused: Bool? = false
    var isCancelled = false
    var tries: Int?

    mutating func unpause(isCancelled: Bool) { (isPaused, self.isCancelled) = (false, isCancelled) }

    /// What has settled begins again; what has not stays paused.
    mutating func retry() {
      isCancelled = false
      if isPaused == true { isPaused = nil }
    }
  }

  private struct Model: Equatable {
    var tasks: [String: Wanted] = [:]
    var order: [String] = []

    mutating func obey(_ line: String) {
      let words = line.split(separator: " ").map(String.init)
      let key = words[1]
      if words[0] == "add" {
        if tasks[key] == nil { order.append(key) }
        tasks[key, default: Wanted()].isPaused = false
        tasks[key]?.isCancelled = false
        return
      }
      guard tasks[key] != nil else { return }
      switch words[0] {
      case "pause": if tasks[key]?.isCancelled == false { tasks[key]?.isPaused = true }
      case "resume": tasks[key]?.unpause(isCancelled: false)
      case "retry": tasks[key]?.retry()
      case "cancel": tasks[key]?.unpause(isCancelled: true)
      case "remove":
        tasks[key] = nil
        order.removeAll { $0 == key }
      case "first": order = [key] + order.filter { $0 != key }
      default: tasks[key]?.tries = Int(words[2])
      }
    }

    /// What is not so in the store.
    func differences(from rows: [StoredTask]) -> [String] {
      var found: [String] = []
      let kept = rows.filter { !$0.isLeaving }
      let keys = kept.sorted { $0.rank < $1.rank }.map { $0.key ?? "" }
      if keys != order { found.append("order \(keys), not \(order)") }
      for row in kept {
        guard let key = row.key, let wanted = tasks[key] else { continue }
        if row.end == nil, let isPaused = wanted.isPaused, (row.want == .paused) != isPaused {
          found.append("\(key): \(row.want), \(wanted)")
        }
        let isCancelled = row.want == .cancelled || row.end?.kind == .cancelled
        if isCancelled != wanted.isCancelled, row.end?.kind != .succeeded { found.append("\(key): \(row), \(wanted)") }
        if DownloadSettings(text: row.settings)?.tries != wanted.tries { found.append("\(key): \(row.settings)") }
      }
      return found
    }
  }

  private let rounds = getenv("SWIFTGET_KILLS").flatMap { Int(String(cString: $0)) } ?? 15
  private let content = Content.generated(seed: 77, byteCount: 400_000)
  private let home: TemporaryDirectory
  private let rig: SessionRig

  init() throws {
    home = try TemporaryDirectory()
    rig = try SessionRig(
      Dictionary(uniqueKeysWithValues: (0..<8).map { ("/k\($0)", Content.generated(seed: 77, byteCount: 400_000)) })
    ) {
      $0.bytesPerSecondOfConnection = 1_500_000
    }
  }

  private func script(_ generator: inout SeededGenerator, _ keys: Range<Int>) -> [String] {
    (0..<60).map { _ in
      let key = "k\(Int.random(in: keys, using: &generator))"
      return switch Int.random(in: 0..<12, using: &generator) {
      case 0...3: "add \(key) \(rig.server.url("/\(key)"))"
      case 4, 5: "pause \(key)"
      case 6, 7: "resume \(key)"
      case 8: "remove \(key)"
      case 9: "first \(key)"
      case 10: Bool.random(using: &generator) ? "cancel \(key)" : "retry \(key)"
      default: "tries \(key) \(Int.random(in: 1...9, using: &generator))"
      }
    }
  }

  private func rows() throws -> [StoredTask] {
    var rows: [StoredTask] = []
    let (store, content) = try SessionStore.open(Array(home.path("night").utf8), isMade: false) { rows.append($0) }
    store.close()
    #expect(content.damagedTaskCount == 0 && content.damagedDatabases.isEmpty)
    return rows
  }

  @Test func `what was answered is there, and the rest whole or absent`() async throws {
    var generator = SeededGenerator(seed: Fuzz.seed)
    var model = Model()
    for round in 0..<rounds {
      // Some keys are left alone in each round.
      let commands = script(&generator, round % 2 == 0 ? 0..<6 : 2..<8)
      let quiet = model.tasks.filter { key, task in
        task.isPaused == true && !commands.contains { $0.split(separator: " ")[1] == key }
      }
      let asked = rig.server.requests.count
      var invocation = ProgramInvocation(
        try productPath("queue"), ["night", home.path, rig.target.path])
      invocation.input = Array(commands.map { $0 + "\n" }.joined().utf8)
      let program = try SpawnedProgram(invocation)
      #expect(await eventually { program.outputSoFar.contains("ready") || !program.isRunning })
      try await Task.sleep(for: .milliseconds(Int.random(in: 0...150, using: &generator)))
      program.kill()
      let lines = program.wait().outputText.split(separator: "\n").dropFirst()
      // The last line may be cut off.
      let answered = lines.prefix { $0.hasPrefix("ok ") || $0.contains("no task has the key") }.count
      #expect(answered >= lines.count - 1, "round \(round): \(lines.dropFirst(answered).prefix(2))")
      for command in commands.prefix(answered) { model.obey(command) }
      let rows = try rows()
      let differences = model.differences(from: rows)
      if !differences.isEmpty, answered < commands.count {
        var next = model
        next.obey(commands[answered])
        #expect(
          next.differences(from: rows) == [],
          "round \(round), seed \(Fuzz.seed): \(differences), or after \(commands[answered])")
        model = next
      } else {
        #expect(differences == [], "round \(round), seed \(Fuzz.seed)")
      }
      for request in rig.server.requests.dropFirst(asked) {
        #expect(quiet[String(request.target.dropFirst())] == nil, "\(request.target) was paused")
      }
    }
    // All of it is fetched in the end, and nothing else is left.
    let session = try await DownloadSession.open(
      "night", in: home.path, configuration: SessionRig.configuration(in: rig.target))
    try await session.resumeAll()
    try await session.selection(.state(.cancelled), .state(.failed)).retry()
    try await session.settled()
    for task in try await session.tasks() {
      #expect(task.latest.state.kind == .succeeded, "\(task.latest)")
      #expect(try rig.isRight(task.latest.fileName, content))
    }
    await session.close()
    #expect(rig.target.names().allSatisfy { !$0.contains(".swiftget") }, "\(rig.target.names())")
  }
}

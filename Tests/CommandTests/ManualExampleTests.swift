import TestSupport
import Testing

@testable import CommandOptions
@testable import DownloadLists

@Suite(.waiting) struct `An example in the manual` {
  @Test(arguments: OptionTable.options.map(\.long))
  func `shows its option`(long: String) throws {
    let spec = try #require(OptionTable.options.first { $0.long == long })
    let command = spec.example.replacing(#/\\\n */#, with: "")
    let findings = CommandLineScanner(try ManualExamples.arguments(command)).findings
    let shown = findings.contains { if case .option(let found, _, _) = $0 { found.id == spec.id } else { false } }
    #expect(command.hasPrefix("swiftget ") && shown, "\(command)")
    #expect(spec.example.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(command)")
  }

  @Test func `is understood`() throws {
    #expect(ManualExamples.commands.count > OptionTable.shown.count + 10)
    for command in ManualExamples.commands {
      // A placeholder for a digest.
      let digest = String(repeating: "0", count: 64)
      let arguments = try ManualExamples.arguments(command.replacing("sha256:HEX", with: "sha256:" + digest))
      let environment = Environment(ManualExamples.variables(for: command))
      #expect(throws: Never.self, "\(command)") { try Command(arguments: arguments, environment: environment) }
    }
  }

  @Test func `works`() throws {
    let place = try ExamplePlace()
    var commands = ManualExamples.commands.filter { !ManualExamples.goesOn($0) }[...]
    // Several at a time.
    while !commands.isEmpty {
      let runs = try commands.prefix(8).map { try place.start($0) }
      commands = commands.dropFirst(8)
      for run in runs { run.expectSuccess() }
    }
  }
}

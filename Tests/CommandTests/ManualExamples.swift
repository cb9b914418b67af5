import DownloadCore
import TestSupport

@testable import CommandManual
@testable import CommandOptions

/// The command lines that manual pages and `--help NAME` show.
enum ManualExamples {
  /// As the texts show them, without what only a shell or cron understands around them.
  static let commands: [String] = {
    let pages = [GeneratedText.man, .manGuide, .manOutput].flatMap { blocks(of: Generator.text($0)) }
    return (OptionTable.shown.map(\.example) + pages).flatMap { text in
      text.replacing(#/\\\n */#, with: "").split(separator: "\n").compactMap { command(String($0)) }
    }
  }()

  /// The examples of a page.
  private static func blocks(of page: String) -> [String] {
    page.split(separator: ".EX\n").dropFirst().map { block in
      shown(String(block.prefix(upTo: block.firstRange(of: "\n.EE")!.lowerBound)))
    }
  }

  /// The text that the page's source shows.
  private static func shown(_ source: String) -> String {
    var text = source
    for (escape, character) in [
      ("\\&", ""), ("\\-", "-"), ("\\(aq", "'"), ("\\(ga", "`"), ("\\(ti", "~"), ("\\(ha", "^"), ("\\e", "\\"),
    ] {
      text = text.replacing(escape, with: character)
    }
    return text
  }

  /// The command of swiftget in a line; nil where there is none.
  private static func command(_ line: String) -> String? {
    guard let start = line.firstRange(of: "swiftget ") else { return nil }
    let before = line[..<start.lowerBound]
    let command = line[start.lowerBound...]
    // Of another command, whose argument it is in quotation marks.
    if before.hasSuffix("'"), command.hasSuffix("'") { return String(command.dropLast()) }
    guard before.isEmpty || before.hasSuffix(" ") else { return nil }
    let end = [" | ", " ::: "].compactMap { command.firstRange(of: $0)?.lowerBound }.min() ?? command.endIndex
    return String(command[..<end])
  }

  /// Whether a process works after the command, or the command itself does: tests of sessions run such ones.
  static func goesOn(_ command: String) -> Bool {
    [" serve", "--background", "--paused"].contains(where: command.contains)
  }

  /// The variables of a job array, for `--shard auto`.
  static func variables(for command: String) -> [String: String] {
    if command.contains("auto/") { return ["PARALLEL_SEQ": "1"] }
    return [
      "SLURM_ARRAY_TASK_ID": "1", "SLURM_ARRAY_TASK_MIN": "1", "SLURM_ARRAY_TASK_MAX": "2",
      "SLURM_ARRAY_TASK_COUNT": "2", "SLURM_ARRAY_TASK_STEP": "1",
    ]
  }

  /// The arguments of a command.
  static func arguments(_ command: String) throws -> [[UInt8]] {
    Array(try CommandWords(text: Array(command.utf8)).words.dropFirst())
  }
}

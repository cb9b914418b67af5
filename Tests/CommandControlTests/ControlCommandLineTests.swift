import TestSupport
import Testing

@testable import CommandControl

@Suite struct `The command line of ctl` {
  private func command(_ words: String...) throws -> ControlCommandLine {
    guard case .command(let line) = try ControlCommandLine.parse(words) else {
      throw TestSupportError("\(words) is no command")
    }
    return line
  }

  private func refusal(_ words: String...) -> ControlFailure? {
    do {
      _ = try ControlCommandLine.parse(words)
      return nil
    } catch { return error }
  }

  @Test func `options stand anywhere, and selectors keep their order`() throws {
    let forms = [
      ["-S", "night", "list", "--json=id,state", "3", "state:failed"],
      ["list", "3", "--json=id,state", "state:failed", "-Snight"],
      ["--session=night", "list", "3", "state:failed", "--json=id,state"],
      ["--json=id,state", "list", "--session", "night", "3", "state:failed"],
    ]
    for words in forms {
      guard case .command(let line) = try ControlCommandLine.parse(words) else {
        Issue.record("\(words)")
        continue
      }
      #expect(line.verb == .list && line.operands == ["3", "state:failed"], "\(words)")
      #expect(line[.session] == "night" && line[.json] == "id,state", "\(words)")
    }
  }

  @Test func `an optional argument stands behind an equals sign only`() throws {
    let line = try command("list", "--json", "3")
    #expect(line[.json] == "" && line.operands == ["3"])
  }

  @Test func `two hyphens end the options, and one hyphen is an operand`() throws {
    let line = try command("pause", "-n", "-", "--", "-odd", "--json")
    #expect(line.operands == ["-", "-odd", "--json"] && line.has(.dryRun))
    #expect(try command("--", "pause", "-x").operands == ["-x"])
  }

  @Test func `help is of a verb or of all`() throws {
    #expect(try ControlCommandLine.parse(["--help"]) == .help(nil))
    #expect(try ControlCommandLine.parse(["move", "-h"]) == .help(.move))
    #expect(try ControlCommandLine.parse(["-h", "stop"]) == .help(.stop))
    #expect(try ControlCommandLine.parse(["help"]) == .help(nil))
    #expect(try ControlCommandLine.parse(["help", "move"]) == .help(.move))
    #expect(refusal("help", "frobnicate")?.status == .usage)
  }

  @Test func `what is misspelled is refused with a suggestion`() {
    #expect(refusal("puase")?.hint == "perhaps pause is meant")
    #expect(refusal("start")?.hint == "'swiftget serve' does that")
    #expect(refusal("rm")?.hint == "'remove' does that")
    #expect(refusal("list", "--grups")?.hint == "perhaps --groups is meant")
    #expect(refusal("frobnicate")?.status == .usage)
    #expect(refusal("status", "--files")?.message == "status has no option --files")
  }

  @Test func `wrong uses are refused`() {
    #expect(refusal()?.message == "ctl needs a verb")
    #expect(refusal("-S", "night")?.message == "ctl needs a verb")
    #expect(refusal("list", "-S")?.message == "-S needs an argument")
    let refused = refusal("status", "night")
    #expect(refused?.message == "status takes no selectors: it is about the whole session")
    #expect(refused?.hint == "a session is named with -S: 'swiftget ctl -S night status'")
    #expect(refusal("stop", "@all").map { $0.hint == nil } == true)
    #expect(refusal("pause", "--dry-run=yes", "3")?.message == "--dry-run takes no argument")
  }

  @Test func `any words are a command, help or refused, and the place of an option does not matter`() throws {
    var generator = SeededGenerator(seed: Fuzz.seed)
    for _ in 0..<2000 {
      let verb = try #require(ControlVerb.all.randomElement(using: &generator))
      let operands = verb.operands == .none ? [] : (0..<Int.random(in: 0...3, using: &generator)).map { "\($0 + 1)" }
      var groups = operands.map { [$0] }
      groups.insert([verb.name.rawValue], at: 0)
      var expected: [ControlOption: String] = [:]
      for option in verb.options + [ControlOption.session, .sessionDirectory] where Bool.random(using: &generator) {
        let words: [String]
        switch option.argument {
        case .nothing: (words, expected[option]) = ([option.name], "")
        case .optional: (words, expected[option]) = (["\(option.name)=x"], "x")
        case .required:
          words = Bool.random(using: &generator) ? [option.name, "x"] : ["\(option.name)=x"]
          expected[option] = "x"
        }
        groups.insert(words, at: Int.random(in: 0...groups.count, using: &generator))
      }
      let words = groups.flatMap(\.self)
      guard case .command(let line) = try ControlCommandLine.parse(words) else {
        Issue.record("\(words)")
        continue
      }
      #expect(line.verb == verb.name && line.operands == operands, "\(words)")
      for option in verb.options { #expect(line[option] == expected[option], "\(words): \(option.name)") }
    }
  }

  @Test func `words that are not UTF-8 are refused`() {
    #expect(throws: ControlFailure.self) { try ControlCommandLine.parse([Array("list".utf8), [0xff]]) }
  }
}

@Suite struct `The help of ctl` {
  @Test func `it names every verb, and that of a verb every option`() {
    let overview = ControlHelp.text(nil)
    for verb in ControlVerb.all {
      #expect(overview.contains("\n  \(verb.name.rawValue) "), "\(verb.name)")
      let help = ControlHelp.text(verb.name)
      #expect(help.hasPrefix("Usage: swiftget ctl [-S NAME] \(verb.name.rawValue)"))
      for option in verb.options + ControlOption.common {
        #expect(help.contains(option.name), "\(verb.name) \(option.name)")
      }
    }
    #expect(Set(ControlVerb.all.map(\.name)) == Set(ControlVerb.VerbName.allCases))
  }

  @Test func `options of one name take the same argument in all verbs`() {
    var known: [String: Bool] = [:]
    for option in ControlVerb.all.flatMap(\.options) + ControlOption.common {
      let takesWord = if case .required = option.argument { true } else { false }
      #expect(known[option.name, default: takesWord] == takesWord, "\(option.name)")
      known[option.name] = takesWord
    }
  }

  @Test func `the manual has every verb and option`() throws {
    let root = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
    let manual = String(decoding: try readFile("\(root)/man/swiftget-ctl.1"), as: UTF8.self)
      .replacing("\\-", with: "-")
    for verb in ControlVerb.all {
      #expect(manual.contains("\n.SS \(verb.name.rawValue)"), "\(verb.name)")
      for option in verb.options { #expect(manual.contains(option.name), "\(verb.name) \(option.name)") }
    }
    for option in ControlOption.common { #expect(manual.contains(option.name), "\(option.name)") }
    for key in SettingKey.names + LimitKey.names { #expect(manual.contains("\(key)="), "\(key)") }
  }
}

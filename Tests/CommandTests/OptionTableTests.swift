import Glibc
import Testing

@testable import CommandManual
@testable import CommandOptions
@testable import DownloadCore

@Suite struct `Option table` {
  @Test func `has one row for every option`() {
    for id in OptionID.allCases { #expect(OptionTable.options.filter { $0.id == id }.count == 1) }
    #expect(OptionTable.options.count == OptionID.allCases.count)
  }

  @Test func `has an option for every setting, with the letter that everybody knows`() {
    for setting in Setting.allCases { #expect(OptionID(rawValue: setting.rawValue) != nil, "\(setting)") }
    let phrase: Phrase = "\(.dir), \(.inputFile, "-"), \(.output) or \(.ifExists, "keep")"
    #expect(phrase.text(in: .command) == "-d, -i -, -o or --if-exists keep")
  }

  @Test func `names are unique and well formed`() {
    let longs = OptionTable.options.flatMap(\.longs)
    let shorts = OptionTable.options.flatMap(\.shorts)
    #expect(Set(longs).count == longs.count)
    #expect(Set(shorts).count == shorts.count)
    #expect(longs.allSatisfy { $0.allSatisfy { $0.isASCII && ($0.isLowercase || $0.isNumber || "-.".contains($0)) } })
  }

  @Test func `every option is documented`() {
    for spec in OptionTable.shown {
      #expect(!spec.summary.isEmpty && !spec.summary.hasSuffix("."), "\(spec.long)")
      #expect(spec.detail.hasSuffix("."), "\(spec.long)")
      let rest = spec.detail.replacing(#/`[^`]*`/#, with: "")
      #expect(!rest.contains("`") && rest.count { $0 == "*" } % 2 == 0, "\(spec.long)")
      if case .required(let name) = spec.argument, case .free = spec.values {
        #expect(spec.detail.contains("*\(name)*") || name.contains(":"), "\(spec.long) explains its argument")
      }
      if case .oneOf(let values) = spec.values {
        for value in values { #expect(spec.detail.contains("`\(value)`"), "\(spec.long) explains \(value)") }
      }
    }
  }

  @Test func `options of other tools hide no option`() {
    for spec in OptionTable.options {
      for name in spec.longs.map({ "--\($0)" }) + spec.shorts.map({ "-\($0)" }) {
        let scan = CommandLineScanner([name, "1"].map { Array($0.utf8) })
        guard case .option(let found, _, _) = scan.findings.first else {
          Issue.record("\(name) is not found")
          continue
        }
        #expect(found.id == spec.id, "\(name)")
      }
    }
  }
}

@Suite struct `Help on an option` {
  @Test(arguments: OptionTable.shown.map(\.id)) func `has its name, its text and an example`(id: OptionID) {
    let (spec, text) = (OptionTable.spec(id), Generator.help(on: id))
    let lines = text.split(separator: "\n")
    #expect(lines[0].contains("--\(spec.long)") && !lines[0].hasPrefix(" "), "\(text)")
    #expect(spec.spellings.allSatisfy(text.contains) && text.contains("\nExample:\n"), "\(text)")
    #expect(!text.contains("`") && lines.prefix { $0 != "Example:" }.allSatisfy { $0.utf8.count <= 80 }, "\(text)")
  }
}

@Suite struct `Generated texts` {
  private static let root = String(#filePath.dropLast("/Tests/CommandTests/OptionTableTests.swift".count))

  private func contents(of path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count <= 0 { return String(decoding: bytes, as: UTF8.self) }
      bytes += buffer[..<count]
    }
  }

  @Test(arguments: GeneratedText.allCases)
  func `the committed file equals the generated one`(kind: GeneratedText) {
    let isSame = contents(of: "\(Self.root)/\(kind.path)") == Generator.text(kind)
    #expect(isSame, "write it anew: swiftget --generate \(kind.rawValue) > \(kind.path)")
  }

  @Test func `no text offers what is hidden, which works all the same`() throws {
    let hidden = OptionTable.options.filter(\.isHidden)
    #expect(
      hidden.map(\.long).sorted() == [
        "content-disposition", "continue", "cut-dirs", "force-directories", "log-format", "no-host-directories",
        "notify", "password", "serve", "until-settled",
      ])
    for spec in hidden {
      for kind in [GeneratedText.bash, .zsh, .fish] {
        let words = Generator.text(kind).split { !$0.isLetter && $0 != "-" }
        #expect(!words.contains { $0 == "--\(spec.long)" || $0 == "--\(spec.negation)" }, "\(spec.long) \(kind)")
      }
      #expect(!Generator.help(for: .options).contains("--\(spec.long) "), "\(spec.long)")
      // Abbreviations, too.
      for name in [spec.long, String(spec.long.dropLast(2))] {
        let scan = CommandLineScanner(["--\(name)", "1"].map { Array($0.utf8) })
        guard case .option(let found, _, _)? = scan.findings.first else {
          Issue.record("--\(name) is not found")
          continue
        }
        #expect(found.id == spec.id, "\(name)")
      }
    }
  }

  @Test func `every text contains every option`() {
    for spec in OptionTable.shown {
      for long in spec.longs {
        #expect(Generator.text(.bash).contains("--\(long)"))
        #expect(Generator.text(.zsh).contains("--\(long)"))
        #expect(Generator.text(.fish).contains("-l \(long) "))
        let roff = long.split(separator: "-").joined(separator: "\\-")
        #expect(Generator.text(.man).contains("\\-\\-\(roff)\\fR"))
      }
      #expect(Generator.help(for: .options).contains(spec.usage))
    }
  }

  @Test func `help fits its screen`() {
    let short = Generator.shortHelp.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(short.count < 40)
    #expect(OptionTable.options.filter(\.isCommon).count == 15)
    let lines = (Generator.shortHelp + Generator.help(for: .options) + Generator.help(for: .lists)).split(
      separator: "\n")
    #expect(lines.filter { $0.count > 80 } == [])
  }
}

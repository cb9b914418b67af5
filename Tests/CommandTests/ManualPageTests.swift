import Foundation
import TestSupport
import Testing

@testable import CommandManual
@testable import CommandOptions

@Suite(.waiting) struct `A manual page` {
  private static let directory = String(#filePath.dropLast("Tests/CommandTests/ManualPageTests.swift".count)) + "man/"
  private static let pages = try! FileManager.default.contentsOfDirectory(atPath: directory).filter {
    $0.contains(#/\.[1-9]$/#)
  }.sorted()

  @Test func `is one of these`() {
    #expect(
      Self.pages == [
        "swiftget-control.7", "swiftget-ctl.1", "swiftget-guide.7", "swiftget-manifest.5", "swiftget-output.5",
        "swiftget-sidecar.5", "swiftget.1",
      ])
  }

  @Test(arguments: pages) func `has at most 800 lines`(page: String) throws {
    let text = String(decoding: try readFile(Self.directory + page), as: UTF8.self)
    #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count <= 801)
  }

  @Test(arguments: pages) func `has the date and the version of all pages`(page: String) throws {
    func heading(_ page: String) throws -> [Substring] {
      let text = String(decoding: try readFile(Self.directory + page), as: UTF8.self)
      return text.split(separator: "\n").first { $0.hasPrefix(".TH ") }?.split(separator: " ") ?? []
    }
    #expect(try heading(page).dropFirst(3) == heading("swiftget.1").dropFirst(3) && heading(page).count > 3)
  }

  /// Except the length of lines in the source, which nobody sees.
  @Test(arguments: pages) func `has no fault that mandoc finds`(page: String) throws {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/mandoc")
    process.arguments = ["-Tlint", "-Wstyle", Self.directory + page]
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(text.split(separator: "\n").filter { !$0.contains("longer than 80 bytes") } == [])
  }

  @Test(arguments: pages) func `names only pages that exist`(page: String) throws {
    let text = String(decoding: try readFile(Self.directory + page), as: UTF8.self).replacing("\\-", with: "-")
    let named = text.matches(of: #/(swiftget(?:-[a-z]+)?)(?:\\fR)? ?\(([157])\)/#).map { "\($0.1).\($0.2)" }
    #expect(!named.isEmpty && Set(named).isSubset(of: Self.pages), "\(named)")
  }

  /// `See TSV AND CSV in \fBswiftget\-manifest\fR(5)`, also with two sections.
  @Test(arguments: pages) func `refers only to sections that exist`(page: String) throws {
    let text = String(decoding: try readFile(Self.directory + page), as: UTF8.self).replacing("\n", with: " ")
    for found in text.matches(
      of: #/See ([A-Z ]+)(?: and ([A-Z]+(?: [A-Za-z]+)*))? in \\fB(swiftget[\\a-z-]*)\\fR\((\d)\)/#)
    {
      let other = "\(found.3.replacing("\\", with: "")).\(found.4)"
      let lines = String(decoding: try readFile(Self.directory + other), as: UTF8.self).split(separator: "\n")
      let headings = lines.filter { $0.hasPrefix(".S") }.map { $0.dropFirst(4).uppercased() }
      for section in [found.1, found.2].compactMap(\.self) {
        #expect(headings.contains(String(section)), "\(found.0)")
      }
    }
  }

  @Test func `shows an asterisk in bold text`() {
    #expect(MarkedText("a `b.*.c` *D*`*`").plain == "a b.*.c D*")
    #expect(Generator.text(.man).contains("\\fBpackages.*.url\\fR"))
    #expect(Generator.help(on: .columns).contains("packages.*.url"))
    #expect(Generator.help(on: .include).contains("**/"))
  }
}

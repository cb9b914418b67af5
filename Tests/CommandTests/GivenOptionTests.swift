import DownloadCore
import Testing

@testable import CommandOptions
@testable import DownloadEvents

@Suite struct `An option in a report` {
  private static let secret = "S3CR3T"

  @Test func `shows no secret, whatever its argument`() {
    for spec in OptionTable.options where spec.argument != .nothing {
      for text in ["http://u:S3CR3T@h/f", "http://h/f?key=S3CR3T", "u:S3CR3T@h", "//u:S3CR3T@h"] {
        let shown = GivenOption(spec, argument: Array(text.utf8))
        #expect(shown.name == "--" + spec.long)
        #expect(shown.value?.contains(Self.secret) == false, "\(shown)")
      }
    }
  }

  @Test(arguments: [
    (["-u", "me:S3CR3T"], "--user", "…"), (["-H", "Cookie:S3CR3T"], "--header", "Cookie: …"),
    (["-b", "a=S3CR3T"], "--header", "Cookie: …"), (["--cert", "file:S3CR3T"], "--cert", "…"),
    (["--proxy", "u:S3CR3T@h"], "--proxy", "…"), (["-j4"], "--jobs", "4"),
    (["--on-exit", "mail -s S3CR3T me"], "--on-exit", "…"), (["-N"], "--timestamping", nil),
    (["--dir=a b"], "--dir", "a b"),
  ])
  func `stands by its long name`(arguments: [String], name: String, value: String?) throws {
    let words = (arguments + ["--report", "r", "https://h/f"]).map { Array($0.utf8) }
    let command = try Command(arguments: words)
    guard case .run(let invocation) = command else {
      Issue.record("\(command)")
      return
    }
    #expect(
      invocation.options == [GivenOption(name: name, value: value), GivenOption(name: "--report", value: "r")])
  }
}

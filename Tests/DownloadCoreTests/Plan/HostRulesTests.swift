import Glibc
import TestSupport
import Testing

@testable import DownloadCore

@Suite struct `Rules for hosts` {
  @Test func `match names as fnmatch does`() {
    var generator = SeededGenerator(seed: Fuzz.seed)
    func word(_ letters: String, _ most: Int) -> String {
      String((0..<Int.random(in: 0...most, using: &generator)).map { _ in letters.randomElement(using: &generator)! })
    }
    var matching = 0
    for _ in 0..<20_000 {
      let (name, pattern) = (word("ab.", 8), word("ab.*?", 6))
      let isMatch = fnmatch(pattern, name, 0) == 0
      if isMatch { matching += 1 }
      #expect(HostRules.matches(name, pattern) == isMatch, "\(name) \(pattern)")
    }
    #expect(matching > 100)
  }

  private func rules(_ rules: [(patterns: [String], headers: [String], user: String?, most: Int?)]) -> HostRules {
    var all = HostRules()
    for (patterns, headers, user, most) in rules {
      var rule = HostRules.Rule(patterns: patterns)
      (rule.settings.headers, rule.settings.user, rule.settings.maxConnections) = (headers, user, most)
      all.rules.append(rule)
    }
    return all
  }

  @Test func `that come later count more`() {
    let all = rules([
      (["*.example.org"], ["A: 1", "B: 1"], "u:1", 4), (["DATA.example.org", "x"], ["a: 2"], nil, 8),
      (["other"], ["C: 3"], "u:3", 1),
    ])
    let found = all.settings(for: "data.example.org")
    #expect(found.headers == ["B: 1", "a: 2"] && found.user == "u:1" && found.maxConnections == 8)
    #expect(all.settings(for: "example.org") == HostSettings())
  }

  @Test func `give way to what counts more`() {
    var all = rules([(["*"], ["A: 1", "B: 1"], "u:1", 400)])
    all.overrideHeader("a: 9")
    all.limitConnections(to: 100)
    #expect(all.settings(for: "h").headers == ["B: 1"] && all.settings(for: "h").maxConnections == 100)
    all.changeLast { ($0.netrc, $0.limitRate) = (.usual, RateTimetable(rate: 5)) }
    all.overrideNetrc()
    #expect(all.settings(for: "h").netrc == nil && all.settings(for: "h").limitRate == RateTimetable(rate: 5))
    all.overrideUser()
    all.overrideConnections()
    #expect(all.settings(for: "h").user == nil && all.settings(for: "h").maxConnections == nil)
  }
}

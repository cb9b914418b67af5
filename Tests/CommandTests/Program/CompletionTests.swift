import Glibc
import TestSupport
import Testing

/// What shells complete after `swiftget ctl`.
@Suite(.waiting) struct `Completions of selectors` {
  private let rig: SessionWorkplace
  private let scripts: String

  init() throws {
    rig = try SessionWorkplace()
    scripts = #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined() + "/completions"
    // Shells complete the command that is found in PATH.
    try rig.home.makeDirectory("bin")
    try #require(symlink(try swiftgetPath(), rig.home.path("bin/swiftget")) == 0)
    #expect(try rig.ctl("add", "--paused", "--group", "late", rig.server.url("/a"), rig.server.url("/b")).status == 0)
  }

  private func run(_ shell: String, _ arguments: String...) throws -> [String] {
    var invocation = ProgramInvocation(shell, arguments)
    invocation.directory = rig.place.directory.path
    invocation.environment["XDG_STATE_HOME"] = rig.home.path
    invocation.environment["HOME"] = rig.home.path
    invocation.environment["PATH"] = rig.home.path("bin") + ":/usr/bin:/bin"
    let result = try rig.place.run(invocation)
    #expect(result.status == 0 && result.errorText.isEmpty, "\(result.told)")
    return result.outputText.split(separator: "\n").map(String.init)
  }

  @Test func `selectors are printed one on a line, unfinished tasks first`() throws {
    let expected = [
      "@all", "state:waiting", "state:running", "state:verifying", "state:paused", "state:succeeded", "state:failed",
      "state:cancelled", "group:late",
    ]
    let lines = try rig.ctl("list", "--selectors").outputText.split(separator: "\n").map(String.init)
    #expect(Set(lines.dropLast(2)) == Set(expected) && lines.suffix(2) == ["1", "2"], "\(lines)")
    #expect(try rig.ctl("cancel", "1").status == 0)
    #expect(try rig.ctl("list", "--selectors").outputText.hasSuffix("\n2\n1\n"))
    let missing = try rig.run("ctl", "-S", "other", "list", "--selectors")
    #expect(missing.status == 4 && missing.outputText.isEmpty)
  }

  /// - Parameters:
  ///   - words: as readline breaks the line.
  ///   - whole: the line.
  private func bash(_ words: String, _ whole: String) throws -> [String] {
    try run(
      "/bin/bash", "-c",
      """
      source '\(scripts)/swiftget.bash'
      COMP_WORDS=(\(words)) COMP_LINE='\(whole)' COMP_POINT=\(whole.utf8.count)
      COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
      _swiftget
      [[ ${#COMPREPLY[@]} == 0 ]] || printf '%s\\n' "${COMPREPLY[@]}"
      """)
  }

  @Test func `in bash`() throws {
    let all = try bash("swiftget ctl -S night pause ''", "swiftget ctl -S night pause ")
    #expect(all.contains("@all") && all.contains("group:late") && all.contains("state:failed") && all.contains("2"))
    #expect(try bash("swiftget ctl -S night pause 2", "swiftget ctl -S night pause 2") == ["2"])
    #expect(try bash("swiftget ctl -S night list group : l", "swiftget ctl -S night list group:l") == ["late"])
    #expect(try bash("swiftget ctl -S night list 1 gro", "swiftget ctl -S night list 1 gro") == ["group:late"])
    #expect(try bash("swiftget ctl -S other pause ''", "swiftget ctl -S other pause ") == [])
    #expect(try bash("swiftget ctl -S ''", "swiftget ctl -S ") == ["night"])
  }

  private func fish(_ line: String) throws -> [String] {
    try run("/usr/bin/fish", "--no-config", "-c", "source '\(scripts)/swiftget.fish'; complete -C '\(line)'")
      .map { String($0.prefix { $0 != "\t" }) }
  }

  @Test func `in fish`() throws {
    let all = try fish("swiftget ctl -S night pause ")
    #expect(all.contains("@all") && all.contains("group:late") && all.contains("2"), "\(all)")
    #expect(try fish("swiftget ctl -S night list group:l") == ["group:late"])
    #expect(try fish("swiftget ctl -S other pause ") == [])
    #expect(try fish("swiftget ctl -S ") == ["night"])
    #expect(try fish("swiftget ctl -S night limit ") == [])
  }

  @Test func `in zsh`() throws {
    try rig.home.makeDirectory("functions")
    try #require(symlink("\(scripts)/_swiftget", rig.home.path("functions/_swiftget")) == 0)
    let command =
      "cd \(rig.home.path); XDG_STATE_HOME=\(rig.home.path) HOME=\(rig.home.path) PATH=\(rig.home.path)/bin:/usr/bin:/bin"
      + " /usr/bin/zsh -f"
    let tmux = try Tmux("PS1='shell> ' \(command)", columns: 100, rows: 30)
    tmux.type(
      "PS1='shell> '; fpath=(\(rig.home.path)/functions $fpath); autoload -Uz compinit; compinit -u; echo ready")
    #expect(eventually { tmux.lines.contains("ready") }, "\(tmux.lines)")
    tmux.type("clear")
    tmux.write("swiftget ctl -S night list group:l\t")
    #expect(eventually { tmux.lines.contains { $0.contains("list group:late") } }, "\(tmux.lines)")
    tmux.press("C-u")
    tmux.write("swiftget ctl -S night pause \t\t")
    #expect(
      eventually { ["@all", "group:late"].allSatisfy { word in tmux.lines.contains { $0.contains(word) } } },
      "\(tmux.lines)")
  }
}

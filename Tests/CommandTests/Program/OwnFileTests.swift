import Glibc
import TestSupport
import Testing

/// Files that a run writes about itself: what else may have their names.
@Suite(.waiting) struct `Files of the run itself` {
  private let place: Workplace
  private let server: ScriptedServer
  private let service: FileService
  private static let options = ["--report", "--failed", "--lock", "--save-cookies", "--log"]

  init() throws {
    place = try Workplace()
    service = FileService(["/a": .text("a"), "/b": .text("b"), "/sub/a": .text("sub a")])
    server = try ScriptedServer(service)
    try place.directory.write("urls", "\(server.url("/a"))\n\(server.url("/b"))\n")
    try place.directory.makeDirectory("set")
    symlink("set", place.directory.path("link"))
  }

  private func run(_ arguments: [String]) throws -> ProgramResult { try place.run(place.invocation(arguments)) }

  // MARK: Targets

  @Test(arguments: options)
  func `are no targets of it`(option: String) throws {
    for arguments in [
      ["-i", "urls", "-d", "set", option, "set/a"],
      ["-i", "urls", "-d", "set/.", option, "./set//a"],
      ["-i", "urls", "-d", "link", option, "set/a"],
      ["-i", "urls", "-d", "set", option, "link/a"],
      ["-i", "urls", "-d", "set", option, "set/../set/a"],
      ["-i", "urls", "-d", "new", option, "new/a"],
      ["-i", "urls", "-d", "set", option, "set/a", "--atomic"],
      ["-i", "urls", "-d", "set", option, "set/a", "--keep-going"],
      ["-i", "urls", "-d", "set", option, "set/x/a", "--output-template", "x/{name}"],
      ["-d", "set", option, "set/a", server.url("/b"), server.url("/a")],
    ] {
      if arguments.contains("set/x/a") { try place.directory.makeDirectory("set/x") }
      if arguments.contains("new") {
        if option == "--save-cookies" || option == "--log" { continue }
      }
      let result = try run(arguments)
      let isOfList = arguments.contains("-i")
      #expect(result.status == 2, "\(arguments): \(result.told)")
      let other = isOfList ? "urls:1" : server.url("/a")
      #expect(result.errorText.contains("\(option) and \(other) would both be written to"), "\(result.told)")
      let names = place.directory.names(in: "set")
      #expect(names.isEmpty || names == ["x"], "\(arguments): \(names)")
    }
    #expect(server.requests.isEmpty && place.names == ["link", "set", "urls"])
  }

  @Test func `are no targets that a list names with a directory, nor the file of -o`() throws {
    try place.directory.write("aria", "\(server.url("/a"))\n dir=\(place.directory.path("link"))\n out=r\n")
    let result = try run(["-i", "aria", "--report", "set/r"])
    #expect(
      result.status == 2 && result.errorText.contains("--report and aria:1 would both be written"), "\(result.told)")
    for arguments in [["-o", "r", "--report", "./r"], ["-d", "link", "-o", "r", "--lock", "set/r"]] {
      let result = try run(arguments + [server.url("/a")])
      #expect(result.status == 2 && result.errorText.contains("and -o name the same file"), "\(result.told)")
    }
    #expect(server.requests.isEmpty && place.directory.names(in: "set").isEmpty)
  }

  @Test func `may have names of targets in other directories`() throws {
    let result = try run([
      "-i", "urls", "-d", "set", "--report", "a", "--failed", "b", "--lock", "set/c", "--log", "set/ba",
      server.url("/sub/a"),
      "--force-directories",
    ])
    #expect(result.status == 0, "\(result.told)")
    #expect(try place.text("a").hasPrefix("{"))
  }

  @Test func `keep what a file had that a log was to be appended to`() throws {
    try place.directory.write("set/a", "a")
    try place.directory.write("urls", "\(server.url("/b"))\n\(server.url("/b/../../\u{1}"))\n")
    #expect(try run(["-i", "urls", "-d", "set", "--log", "set/log"]).status == 2)
    #expect(try place.text("set/log").contains("the run ends with status 2"))
    try place.directory.write("urls", "\(server.url("/a"))\n")
    let result = try run(["-i", "urls", "-d", "set", "--log", "set/a"])
    #expect(result.status == 2, "\(result.told)")
    #expect(try place.text("set/a") == "a")
    symlink("set/a", place.directory.path("log"))
    #expect(try run(["-i", "urls", "-d", "set", "--log", "log"]).status == 2)
    #expect(try place.text("set/a") == "a")
  }

  @Test func `have names that no server can suggest`() throws {
    service.change { $0.extraHeaders = [("Content-Disposition", "attachment; filename=\"report\"")] }
    let result = try run(["--content-disposition", "-d", "set", "--report", "set/report", server.url("/a")])
    #expect(
      result.status == 3 && result.errorText.contains("another file of this run already has this name"),
      "\(result.told)")
    #expect(try place.text("set/report").hasPrefix("{"))
  }

  @Test(arguments: options)
  func `have no reserved names`(option: String) throws {
    for name in ["set/a.swiftget", "set/a.swiftget-part"] {
      let result = try run(["-i", "urls", "-d", "set", option, name])
      #expect(result.status == 2 && result.errorText.contains("reserved"), "\(result.told)")
    }
    #expect(server.requests.isEmpty)
  }

  // MARK: Other files of the run

  @Test(arguments: options)
  func `are none that it reads`(option: String) throws {
    for name in ["other", "conf", "nrc", "jar", "key", "urls.minisig", "home/.netrc", "home/.config/swiftget/config"] {
      if name == "home/.netrc" {
        for path in ["home", "home/.config", "home/.config/swiftget"] { try place.directory.makeDirectory(path) }
      }
      try place.directory.write(name, "# \(name)\n")
    }
    try place.directory.write("lock", try lockFile())
    symlink("urls", place.directory.path("urls-link"))
    link(place.directory.path("urls"), place.directory.path("urls-too"))
    let (before, requestCount) = (place.names.map { try? place.text($0) }, server.requests.count)
    for (other, arguments, file) in [
      ("-i", [], "urls"), ("-i", [], "./urls"), ("-i", [], "urls-link"), ("-i", [], "urls-too"),
      ("-i", ["-i", "other"], "other"), ("--frozen", ["--frozen", "lock"], "lock"),
      ("--config", ["--config", "conf"], "conf"), ("the configuration", [], "home/.config/swiftget/config"),
      ("--netrc-file", ["--netrc-file", "nrc"], "nrc"), ("--netrc", ["--netrc"], "home/.netrc"),
      ("--load-cookies", ["--load-cookies", "jar"], "jar"), ("--cacert", ["--cacert", "key"], "key"),
      ("--cert", ["--cert", "key:password"], "key"), ("--key", ["--key", "key"], "key"),
      ("--proxy-cacert", ["--proxy-cacert", "key"], "key"),
      ("--verify-signature", ["--verify-signature", "key"], "key"),
      ("the signature of -i", ["--verify-signature", "key"], "urls.minisig"),
      ("--signature", ["--verify-signature", "key", "--signature", "nrc"], "nrc"),
    ] {
      if option == "--lock" && other == "--frozen" || option == "--save-cookies" && other == "--load-cookies" {
        continue
      }
      var invocation = try place.invocation(["-i", "urls", "-d", "set"] + arguments + [option, file])
      invocation.environment["HOME"] = place.directory.path("home")
      invocation.environment["XDG_CONFIG_HOME"] = nil
      let result = try place.run(invocation)
      #expect(result.status == 2, "\(other): \(result.told)")
      #expect(
        result.errorText.hasPrefix("swiftget: \(option) and \(other) name the same file"), "\(other): \(result.told)")
      #expect(result.errorText.contains("hint: give \(option) a file of its own"))
    }
    #expect(server.requests.count == requestCount && place.names.map { try? place.text($0) } == before)
  }

  private func lockFile() throws -> String {
    #expect(try run(["-i", "urls", "-d", "elsewhere", "--lock", "elsewhere.lock"]).status == 0)
    return try place.text("elsewhere.lock")
  }

  @Test func `are not each other`() throws {
    for (index, option) in Self.options.enumerated() {
      for other in Self.options[..<index] {
        let result = try run(["-i", "urls", "-d", "set", other, "f", option, "link/../f"])
        #expect(result.status == 2, "\(result.told)")
        #expect(result.errorText.contains("\(option) and \(other) name the same file"), "\(result.told)")
      }
    }
    #expect(server.requests.isEmpty && place.names == ["link", "set", "urls"])
  }

  @Test func `may update what the run reads where that is the purpose`() throws {
    for _ in 0..<2 {
      try place.directory.write("jar", "# Netscape HTTP Cookie File\n")
      let result = try run(["-i", "urls", "--load-cookies", "jar", "--save-cookies", "jar", "--lock", "lock"])
      #expect(result.status == 0, "\(result.told)")
    }
    let frozen = try run(["-i", "urls", "--lock", "lock", "--frozen", "lock", "--log", "/dev/null"])
    #expect(frozen.status == 0, "\(frozen.told)")
    let null = try run([
      "-o", "/dev/null", server.url("/a"), "--log", "/dev/null", "--netrc-file", "/dev/null", "--config", "/dev/null",
    ])
    #expect(null.status == 0, "\(null.told)")
  }
}

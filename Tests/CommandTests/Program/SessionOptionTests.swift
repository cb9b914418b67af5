import Glibc
import TestSupport
import Testing

/// Options beside `--session`: those of the process that works on the session, and those that travel with a file.
@Suite(.waiting) struct `Options with a session` {
  private let rig: SessionWorkplace
  private var place: Workplace { rig.place }

  init() throws { rig = try SessionWorkplace() }

  private func run(
    _ arguments: [String], in directory: String? = nil, config: String? = nil
  ) throws -> ProgramResult {
    var invocation = try rig.invocation(arguments)
    if let directory { invocation.directory = place.directory.path(directory) }
    if let config {
      try rig.home.write("config", config)
      invocation.arguments += ["--config", rig.home.path("config")]
    }
    return try place.run(invocation)
  }

  // MARK: The process that works

  /// `/login` sets a cookie and redirects to `/f`, which needs it.
  private func cookieServer() throws -> ScriptedServer {
    try ScriptedServer { request in
      if request.path == "/login" {
        return [.respond(302, headers: [("Set-Cookie", "sid=S3CR3T; Path=/"), ("Location", "/f")])]
      }
      let isKnown = request.header("Cookie")?.contains("sid=S3CR3T") == true
      return [isKnown ? .respond(200, body: Array("ok".utf8)) : .respond(403)]
    }
  }

  @Test(arguments: ["own", "background", "serve"])
  func `cookies are kept by the process that works, and saved at its end`(worker: String) throws {
    let server = try cookieServer()
    let options = ["--save-cookies", "jar"]
    switch worker {
    case "own": #expect(try run(["-S", "night"] + options + ["-o", "f", server.url("/login")]).status == 0)
    case "background":
      let added = try run(["-S", "night", "--background"] + options + ["-o", "f", server.url("/login")])
      #expect(added.status == 0, "\(added.told)")
      #expect(eventually { place.names.contains("jar") })
    default:
      let service = try rig.start("serve", "-S", "night", "--save-cookies", "jar")
      #expect(eventually { service.errorSoFar.contains("works on session night") })
      #expect(try rig.run("-S", "night", "-o", "f", server.url("/login")).status == 0)
      rig.stop(service)
    }
    #expect(eventually { place.names == ["f", "jar"] } && place.holds("f", .text("ok")), "\(place.names)")
    #expect(try place.text("jar").contains("sid\tS3CR3T"))
    // They are of use to the next one.
    let next = try run(["-S", "night", "--load-cookies", "jar", "-o", "g", server.url("/f")])
    #expect(next.status == 0 && place.holds("g", .text("ok")), "\(next.told)")
  }

  @Test func `passwords of a netrc file go to the files of all tasks`() throws {
    try place.directory.write("netrc", "machine 127.0.0.1 login me password pass-w0rd\n")
    #expect(try rig.ctl("add", rig.server.url("/a")).status == 0)
    let result = try run(["-S", "night", "--netrc-file", "netrc", "--referer", "https://example.org/"])
    #expect(result.status == 0 && place.names == ["a", "netrc"], "\(result.told)")
    let request = try #require(rig.server.requests.last)
    #expect(request.header("Authorization") == "Basic bWU6cGFzcy13MHJk")
    #expect(request.header("Referer") == "https://example.org/")
  }

  @Test func `sections for hosts hold, and what a file has of its own counts more`() throws {
    let config = "[host 127.0.0.1]\nheader = X-Project: 7\nheader = X-Other: 8\nuser = u:p\n"
    let result = try run(["-S", "night", "-H", "X-Other: 9", rig.server.url("/a")], config: config)
    #expect(result.status == 0, "\(result.told)")
    let request = try #require(rig.server.requests.last)
    #expect(request.header("X-Project") == "7" && request.header("X-Other") == "9")
    #expect(request.header("Authorization") == "Basic dTpw")
  }

  @Test func `a joining command names the options of the process that works`() throws {
    let service = try rig.serve()
    for option in [["--netrc"], ["--insecure"], ["--save-cookies", "x"], ["--max-redirect", "3"], ["--no-sync"]] {
      let result = try run(["-S", "night"] + option + [rig.server.url("/a")])
      #expect(
        result.status == 3 && result.errorText.contains("\(option[0]) is an option of the process"), "\(result.told)")
      let added = try run(["ctl", "-S", "night", "add"] + option + [rig.server.url("/a")])
      #expect(added.status == 2 && added.errorText.contains("takes no \(option[0])"), "\(added.told)")
    }
    #expect(rig.server.requests.isEmpty && place.names.isEmpty)
    rig.stop(service)
  }

  @Test func `a missing file of certificates or passwords is told before anything begins`() throws {
    for option in ["--cacert", "--cert", "--netrc-file", "--load-cookies"] {
      for words in [["-S", "night"], ["serve", "-S", "night"], ["-S", "night", "--background"]] {
        let url = words[0] == "serve" ? [] : [rig.server.url("/a")]
        let result = try run(words + [option, "none"] + url)
        #expect(result.status == 2 && result.errorText.contains(option), "\(words) \(result.told)")
      }
    }
    #expect(rig.server.requests.isEmpty && place.names.isEmpty)
  }

  @Test func `the process in the background has the same configuration`() throws {
    let url = rig.server.url("/a")
    let result = try run(["-S", "night", "--background", url], config: "referer = https://example.org/\n")
    #expect(result.status == 0, "\(result.told)")
    #expect(eventually { place.names == ["a"] })
    #expect(rig.server.requests.allSatisfy { $0.header("Referer") == "https://example.org/" })
  }

  // MARK: What the session keeps

  private func authorization(of path: String) -> String? {
    rig.server.requests.last { $0.path == path }?.header("Authorization")
  }

  @Test(arguments: ["own", "background", "serve"])
  func `the session keeps options for the next process, until they are changed`(worker: String) throws {
    try place.directory.write("netrc", "machine 127.0.0.1 login me password pass-w0rd\n")
    let options = ["--netrc-file", "netrc", "--no-sync"]
    switch worker {
    case "own": #expect(try run(["-S", "night"] + options + [rig.server.url("/a")]).status == 0)
    case "background":
      #expect(try run(["-S", "night", "--background"] + options + [rig.server.url("/a")]).status == 0)
      #expect(try rig.ctl("wait", "@all").status == 0)
      #expect(eventually { (try? rig.ctl("show").outputText.contains("nobody")) == true })
    default:
      let service = try SpawnedProgram(rig.invocation(["serve", "-S", "night"] + options))
      #expect(eventually { service.errorSoFar.contains("works on session night") })
      #expect(try rig.run("-S", "night", rig.server.url("/a")).status == 0)
      rig.stop(service)
    }
    #expect(authorization(of: "/a") != nil)
    let shown = try rig.ctl("show").outputText
    #expect(shown.contains("options"), "\(shown)")
    #expect(shown.contains("netrc-file = \(place.directory.path("netrc")), no-sync"), "\(shown)")
    // A service in another directory, as after a reboot.
    #expect(try rig.ctl("add", rig.server.url("/b")).status == 0)
    var invocation = try rig.invocation(["serve", "-S", "night"])
    invocation.directory = "/"
    let service = try SpawnedProgram(invocation)
    #expect(eventually { service.errorSoFar.contains("works on session night") })
    #expect(try rig.ctl("wait", "@all").status == 0 && authorization(of: "/b") != nil)
    rig.stop(service)
    // Taken back, for good.
    #expect(try run(["-S", "night", "--no-netrc", rig.server.url("/c")]).status == 0)
    #expect(try run(["-S", "night", "-o", "d", rig.server.url("/a")]).status == 0)
    #expect(authorization(of: "/c") == nil && authorization(of: "/a") == nil && place.names.contains("d"))
    let json = try rig.ctl("show", "--json").outputText
    #expect(json.contains("\"no-sync\"") && json.contains("\"no-netrc\""), "\(json)")
  }

  @Test func `a joining command may give what the session keeps, and nothing else`() throws {
    try place.directory.write("netrc", "machine 127.0.0.1 login me password pass-w0rd\n")
    try place.directory.write("other", "machine 127.0.0.1 login me password pass-w0rd\n")
    let service = try rig.start("serve", "-S", "night", "--netrc-file", "netrc", "--insecure")
    #expect(eventually { service.errorSoFar.contains("works on session night") })
    let path = place.directory.path("netrc")
    for options in [["--netrc-file", "netrc"], ["--netrc-file", path], ["--insecure", "--netrc-file=./netrc"]] {
      let result = try run(["-S", "night"] + options + [rig.server.url("/a")])
      #expect(result.status == 0, "\(options) \(result.told)")
    }
    for (option, name) in [
      (["--netrc-file", "other"], "--netrc-file"), (["--netrc"], "--netrc"), (["--no-insecure"], "--no-insecure"),
      (["--no-netrc"], "--no-netrc"), (["--netrc-file="], "--netrc-file"), (["--no-sync"], "--no-sync"),
    ] {
      let result = try run(["-S", "night"] + option + [rig.server.url("/b")])
      #expect(
        result.status == 3 && result.errorText.contains("\(name) is an option of the process"), "\(result.told)")
    }
    #expect(place.names == ["a", "netrc", "other"] && authorization(of: "/a") != nil)
    rig.stop(service)
  }

  @Test func `a joining command may repeat the limits of the session, and names other ones`() throws {
    let service = try rig.start("serve", "-S", "night", "-j", "2", "--limit-rate", "9M")
    #expect(eventually { service.errorSoFar.contains("works on session night") })
    for options in [["-j", "2"], ["--limit-rate", "9M", "-j2"], []] {
      let result = try run(["-S", "night"] + options + [rig.server.url("/a")])
      #expect(result.status == 0, "\(options) \(result.told)")
    }
    for options in [["-j", "3"], ["-j", "2", "--limit-rate", "1M"], ["--limit-requests", "9/s"]] {
      let result = try run(["-S", "night"] + options + [rig.server.url("/b")])
      #expect(result.status == 3 && result.errorText.contains("jobs=2 rate=9.0 MiB/s"), "\(options) \(result.told)")
    }
    #expect(try rig.ctl("limit").outputText == "session night: jobs=2 rate=9.0 MiB/s\n")
    #expect(rig.server.requests.allSatisfy { $0.path == "/a" })
    rig.stop(service)
  }

  @Test func `set @session changes what the session keeps, for the next process`() throws {
    try place.directory.write("netrc", "machine 127.0.0.1 login me password pass-w0rd\n")
    #expect(try rig.ctl("set", "@session", "netrc_file=netrc").status == 4)
    #expect(try rig.ctl("add", rig.server.url("/a")).status == 0)
    #expect(try rig.ctl("set", "-n", "@session", "netrc_file=netrc").status == 0)
    #expect(!(try rig.ctl("show").outputText.contains("options")))
    let set = try rig.ctl("set", "@session", "netrc_file=netrc", "no-sync=true", "tries=4")
    #expect(set.status == 0 && set.errorText.isEmpty, "\(set.told)")
    let shown = try rig.ctl("show").outputText
    #expect(shown.contains("netrc-file = \(place.directory.path("netrc")), no-sync"), "\(shown)")
    #expect(shown.contains("tries=4"), "\(shown)")
    let service = try rig.serve()
    #expect(try rig.ctl("wait", "@all").status == 0 && authorization(of: "/a") != nil)
    let later = try rig.ctl("set", "@session", "netrc_file=")
    #expect(later.status == 0 && later.errorText.contains("the next process has the new ones"), "\(later.told)")
    #expect(try rig.ctl("add", rig.server.url("/b")).status == 0)
    #expect(try rig.ctl("wait", "@all").status == 0 && authorization(of: "/b") != nil)
    rig.stop(service)
    #expect(try rig.run("-S", "night", rig.server.url("/c")).status == 0 && authorization(of: "/c") == nil)
    let options = try rig.ctl("show", "--json").outputText
    #expect(options.contains("\"options\":[\"no-sync\"]"), "\(options)")
  }

  @Test func `set @session takes several values of one option, in place of those before`() throws {
    #expect(try rig.ctl("add", rig.server.url("/a")).status == 0)
    func kept() throws -> String { try rig.ctl("show", "--json").outputText }
    #expect(try rig.ctl("set", "@session", "resolve=a:80:127.0.0.1", "resolve=b:80:127.0.0.1").status == 0)
    let both = try kept()
    #expect(both.contains("[\"resolve = a:80:127.0.0.1\",\"resolve = b:80:127.0.0.1\"]"), "\(both)")
    #expect(try rig.ctl("set", "@session", "resolve=c:80:127.0.0.1").status == 0)
    let one = try kept()
    #expect(one.contains("\"options\":[\"resolve = c:80:127.0.0.1\"]"), "\(one)")
  }

  @Test func `set @session refuses what no session keeps, and wrong values`() throws {
    #expect(try rig.ctl("add", rig.server.url("/a")).status == 0)
    for (word, told) in [
      ("retry-wait=soon", "'soon' is not a duration"), ("insecure=perhaps", "true or false"), ("log=x", "no key log"),
      ("jobs=3", "ctl limit jobs=VALUE"), ("max-redirect=-1", "max-redirect"), ("cacert=a\u{1}b", "control character"),
    ] {
      let result = try rig.ctl("set", "@session", word)
      #expect(result.status == 2 && result.errorText.contains(told), "\(word) \(result.told)")
    }
    let ofTask = try rig.ctl("set", "1", "cacert=x")
    #expect(ofTask.status == 2 && ofTask.errorText.contains("set @session cacert=VALUE"), "\(ofTask.told)")
    #expect(!(try rig.ctl("show").outputText.contains("options")))
  }

  @Test func `a file of options that is wrong is named, with its line`() throws {
    #expect(try run(["-S", "night", "--no-sync", rig.server.url("/a")]).status == 0)
    let file = "swiftget/night/options"
    #expect(String(decoding: try rig.home.read(file), as: UTF8.self).hasSuffix("\nno-sync\n"))
    var status = stat()
    #expect(stat(rig.home.path(file), &status) == 0 && status.st_mode & 0o777 == 0o600)
    for (line, message) in [
      ("jobs = 3", "options:2: jobs: no session keeps this option"),
      ("on-exit = reboot", "options:2: on-exit: no session keeps this option"),
      ("[host h]", "no session keeps sections for hosts"), ("cacert", "options:2: 'cacert' needs a value"),
      ("max-redirect = x", "options:2: max-redirect"),
    ] {
      try rig.home.write(file, "# x\n\(line)\n")
      let result = try run(["serve", "-S", "night"])
      #expect(result.status == 2 && result.errorText.contains(message), "\(result.told)")
      #expect(try run(["serve", "--help"]).status == 0 && rig.ctl("list").status == 0)
      // Only adds, for whoever works on the session.
      #expect(try rig.ctl("add", rig.server.url("/b")).status == 0)
    }
  }

  // MARK: Files

  @Test func `the command that judges a file runs where it was given, also after a restart`() throws {
    try place.directory.makeDirectory("there")
    try place.script("there/judge", "pwd >> told; echo \"$1\" >> told; grep -q first \"$1\"")
    let added = try run(
      [
        "ctl", "-S", "night", "add", "--verify-command", "./judge", "-d", place.directory.path("d"),
        rig.server.url("/a"), rig.server.url("/b"),
      ], in: "there")
    #expect(added.status == 0, "\(added.told)")
    // Others are not judged.
    #expect(try rig.ctl("add", "-d", "d", rig.server.url("/c")).status == 0)
    let result = try run(["-S", "night"])
    #expect(result.status == 9 && place.directory.names(in: "d") == ["a", "b.swiftget-bad", "c"], "\(result.told)")
    let told = try place.text("there/told").split(separator: "\n").map(String.init)
    #expect(Set(told.filter { !$0.hasSuffix("-part") }) == [place.directory.path("there")], "\(told)")
    #expect(
      Set(told.filter { $0.hasSuffix("-part") })
        == Set(["a", "b"].map { place.directory.path("d/\($0).swiftget-part") }), "\(told)")
    #expect(try rig.ctl("list", "--json", "state:failed").outputText.contains("integrity"))
  }

  @Test func `a command that is missing is told before the file is added`() throws {
    let result = try run(["ctl", "-S", "night", "add", "--verify-command", "./none", rig.server.url("/a")])
    #expect(result.status == 2 && result.errorText.contains("--verify-command"), "\(result.told)")
  }

  /// Answers `/get?id=N` with the name `name-N`, after a redirect to `/moved/to-N`.
  private func namingServer() throws -> ScriptedServer {
    try ScriptedServer { request in
      let number = request.target.filter(\.isNumber)
      if request.target.hasPrefix("/get") { return [.respond(302, headers: [("Location", "/moved/to-\(number)")])] }
      return [
        .respond(
          200,
          headers: [("Content-Disposition", "attachment; filename=\"name-\(number)\"")], body: Array(number.utf8))
      ]
    }
  }

  @Test func `answers name files that have one URL without their queries`() throws {
    let server = try namingServer()
    let urls = (1...3).map { server.url("/get?id=\($0)") }
    let result = try run(["-S", "night", "--content-disposition", "-d", "d"] + urls)
    #expect(result.status == 0, "\(result.told)")
    #expect(place.directory.names(in: "d") == ["name-1", "name-2", "name-3"])
    // The same command again adds nothing.
    let count = server.requests.count
    let again = try run(["ctl", "-S", "night", "add", "--content-disposition", "-d", "d"] + urls)
    #expect(again.outputText.hasPrefix("added 0 tasks; 3 begun again\n"), "\(again.told)")
    #expect(try run(["-S", "night"]).status == 0 && server.requests.count <= count + 3)
    #expect(place.directory.names(in: "d") == ["name-1", "name-2", "name-3"])
  }

  @Test func `the URL after redirects names a file, also after a restart`() throws {
    let server = try namingServer()
    let added = try run(["ctl", "-S", "night", "add", "--name-from", "last-url", server.url("/get?id=4")])
    #expect(added.status == 0, "\(added.told)")
    // Nothing is known of the name, so that a list has none.
    let exported = try rig.ctl("export")
    #expect(exported.status == 0 && !exported.outputText.contains("\"out\""), "\(exported.told)")
    #expect(try run(["-S", "night"]).status == 0 && place.names == ["to-4"], "\(place.names)")
  }

  @Test func `two answers with one name do not get one file`() throws {
    let server = try ScriptedServer { request in
      let field = ("Content-Disposition", "attachment; filename=\"one\"")
      return [.respond(200, headers: [field], body: Array(request.target.utf8.suffix(1)))]
    }
    let result = try run(["-S", "night", "--content-disposition", server.url("/get?a"), server.url("/get?b")])
    #expect(result.status != 0 && place.names == ["one"], "\(result.told)")
    // Once the other task is gone its name is free.
    let list = try rig.ctl("list", "--fields=id", "state:failed").outputText
    let failed = try #require(list.split(separator: "\n").last)
    #expect(try rig.ctl("remove", "--files", "--yes", "state:succeeded").status == 0)
    #expect(try rig.ctl("resume", String(failed)).status == 0)
    #expect(try run(["-S", "night"]).status == 0 && place.names == ["one"], "\(place.names)")
  }

  @Test(arguments: [false, true]) func `a file gets another name, which takes nobody's place`(isServed: Bool) throws {
    #expect(try rig.run("-S", "night", rig.server.url("/a")).status == 0 && rig.place.names == ["a"])
    #expect(try rig.ctl("add", "--paused", rig.server.url("/b")).status == 0)
    let service = isServed ? try rig.serve() : nil
    for (task, name) in [("1", "c"), ("2", "d")] {
      let result = try rig.ctl("set", task, "out=\(name)")
      #expect(result.status == 0, "\(result.told)")
    }
    #expect(rig.place.names == ["c"])
    try rig.place.directory.write("e", "mine")
    for (word, status, text) in [
      ("out=e", 1, "e: the file already exists"), ("out=d", 1, "another task has the target"), ("out=", 2, "a name"),
      ("out=../x", 2, "'..'"),
    ] as [(String, Int32, String)] {
      let refused = try rig.ctl("set", "1", word)
      #expect(refused.status == status && refused.errorText.contains(text), "\(word): \(refused.told)")
    }
    if let service { rig.stop(service) }
    #expect(try rig.ctl("resume", "--all").status == 0 && rig.run("-S", "night").status == 0)
    #expect(rig.place.names == ["c", "d", "e"])
  }
}

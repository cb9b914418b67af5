import Glibc
import TestSupport
import Testing

@testable import CommandMain
@testable import DownloadCore
@testable import DownloadWords

@Suite struct `Files of cookies` {
  private let directory: TemporaryDirectory
  private static let line = "example.org\tFALSE\t/\tFALSE\t0\tsid\tS3CR3T"

  init() throws { directory = try TemporaryDirectory() }

  private func settings(load: String? = nil, save: String? = nil) throws -> Secrets.Cookies? {
    try CookieFiles.settings(
      loading: load.map { Array(directory.path($0).utf8) }, saving: save.map { Array(directory.path($0).utf8) })
  }

  private func error(load: String? = nil, save: String? = nil) -> Failure? {
    do { _ = try settings(load: load, save: save) } catch { return error as? Failure }
    return nil
  }

  @Test func `turn cookies on`() throws {
    try directory.write("jar", Self.line + "\n")
    #expect(try settings() == nil)
    let jar = Array(directory.path("jar").utf8)
    #expect(try settings(load: "jar") == Secrets.Cookies(loaded: [Array(Self.line.utf8)]))
    #expect(
      try settings(load: "jar", save: "jar") == Secrets.Cookies(loaded: [Array(Self.line.utf8)], jar: jar))
    #expect(try settings(save: "jar") == Secrets.Cookies(jar: jar))
    #expect(try settings(save: "new")?.jar == Array(directory.path("new").utf8) && !directory.names().contains("new"))
  }

  @Test func `to be read are there, and are files of cookies`() throws {
    try directory.write("page", "<html>S3CR3T</html>")
    try directory.write("late", "\(Self.line)\nS3CR3T\n")
    try directory.write("store", "SQLite format 3\0S3CR3T")
    for (name, words) in [
      ("none", "cannot read \(directory.path)/none: No such file or directory"),
      (".", "cannot read \(directory.path)/.: Is a directory"),
      ("page", "\(directory.path)/page is not a Netscape cookie file: line 1"),
      ("late", "\(directory.path)/late is not a Netscape cookie file: line 2"),
      ("store", "\(directory.path)/store is the database of a browser"),
    ] {
      let found = error(load: name)
      #expect(found?.code == .usage && found?.message == "--load-cookies: " + words)
      #expect(found?.hint()?.contains("S3CR3T") != true)
    }
    #expect(error(load: "none")?.hint() == nil)
    #expect(error(load: "none", save: "none")?.hint() == "leave out --load-cookies in the first run")
  }

  @Test func `to be written are regular files in a directory that is there`() throws {
    #expect(mkfifo(directory.path("pipe"), 0o600) == 0)
    #expect(symlink("pipe", directory.path("link")) == 0 && symlink("none", directory.path("dangling")) == 0)
    for (name, words) in [
      (".", "cannot write \(directory.path)/.: Is a directory"),
      ("new/", "cannot write \(directory.path)/new/: Is a directory"),
      ("none/jar", "\(directory.path)/none/jar cannot be written: its directory: No such file or directory"),
      ("pipe", "\(directory.path)/pipe is not a regular file"),
      ("link", "\(directory.path)/link is not a regular file"),
    ] {
      let found = error(save: name)
      #expect(found?.code == .usage && found?.message == "--save-cookies: " + words)
    }
    #expect(error(save: "dangling") == nil)
  }

  @Test func `may be pipes and endless devices`() throws {
    var ends: [Int32] = [-1, -1]
    #expect(pipe(&ends) == 0 && write(ends[1], Self.line, Self.line.utf8.count) == Self.line.utf8.count)
    close(ends[1])
    defer { close(ends[0]) }
    func settings(_ path: String) throws -> Secrets.Cookies? {
      try CookieFiles.settings(loading: Array(path.utf8), saving: nil)
    }
    #expect(try settings("/proc/self/fd/\(ends[0])")?.loaded.count == 1)
    #expect(
      throws: Failure(.usage, "--load-cookies: /dev/zero is too large for a cookie file", about: ["--load-cookies"])
    ) {
      try settings("/dev/zero")
    }
    #expect(try settings("/dev/null") == Secrets.Cookies())
  }
}

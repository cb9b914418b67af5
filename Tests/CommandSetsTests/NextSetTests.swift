import DownloadCore
import DownloadEngine
import DownloadFiles
import Glibc
import TestSupport
import Testing

@testable import CommandSets

/// The set that takes the place of a directory (`--atomic`).
@Suite struct `The next set of a directory` {
  private let place: TemporaryDirectory
  private var path: [UInt8] { Array(place.path("set").utf8) }
  private let signals = SignalWatch([])

  init() throws { place = try TemporaryDirectory() }

  private static let old = ["a": "old a", "b": "old b", "sub/c": "old c", "mine/x": "x"]
  private static let new = ["a": "new a", "b": "old b", "sub/c": "new c", "sub/d": "new d", "mine/x": "x"]

  private func make(_ files: [String: String] = old) throws {
    try place.makeDirectory("set")
    for (name, text) in files {
      for (index, letter) in name.enumerated() where letter == "/" {
        mkdir(place.path("set/\(name.prefix(index))"), 0o755)
      }
      try place.write("set/\(name)", text)
    }
  }

  /// Adds what a run would download.
  private func download(into set: NextSet) throws {
    let new = String(decoding: set.newPath, as: UTF8.self)
    mkdir("\(new)/sub", 0o755)
    for name in ["a", "sub/c", "sub/d"] { try Content.text(Self.new[name] ?? "").write(to: "\(new)/\(name)") }
    // What an earlier run did not finish.
    try Content.text("part").write(to: "\(new)/e.swiftget-part")
  }

  /// The content of regular files and of links to them, by their names.
  private func files(_ directory: String = "set") -> [String: String] {
    var found: [String: String] = [:]
    for name in place.names(in: directory) {
      let whole = "\(directory)/\(name)"
      switch try? status(whole).kind {
      case .directory?: for (inner, text) in files(whole) { found["\(name)/\(inner)"] = text }
      case .regular?, .symbolicLink?: found[name] = (try? place.read(whole)).map { String(decoding: $0, as: UTF8.self) }
      case .special?, nil: break
      }
    }
    return found
  }

  private func publish(_ set: NextSet) throws -> NextSet.Publication {
    try set.publish(syncs: true, hearing: signals)
  }

  @Test func `has new files, and those of the previous set that stay`() throws {
    try make()
    chmod(place.path("set/a"), 0o640)
    chmod(place.path("set/mine"), 0o2750)
    symlink("x", place.path("set/mine/link"))
    mkfifo(place.path("set/mine/pipe"), 0o600)
    try place.write("set/f.swiftget-part", "unfinished")
    let before = try status("set/mine")
    let set = try NextSet(of: path)
    #expect(set.previousPath == path && files("set.swiftget-next").isEmpty)
    try download(into: set)
    #expect(files() == Self.old.merging(["f.swiftget-part": "unfinished", "mine/link": "x"]) { $1 })
    #expect(try publish(set) == .published)
    #expect(files() == Self.new.merging(["f.swiftget-part": "unfinished", "mine/link": "x"]) { $1 })
    #expect(place.names() == ["set"] && place.names(in: "set/mine") == ["link", "pipe", "x"])
    #expect(try status("set/a").mode == 0o640 && status("set/mine/pipe").kind == .special)
    let after = try status("set/mine")
    #expect(after.mode == 0o2750 && after.modified == before.modified && after.inode != before.inode)
    #expect(try status("set/mine/link").kind == .symbolicLink && status("set/mine/x").linkCount == 1)
  }

  private func status(_ name: String) throws -> FileStatus {
    try SystemCalls.fstatat(SystemCalls.workingDirectory, Array(place.path(name).utf8))
  }

  @Test func `may be the first one`() throws {
    let set = try NextSet(of: Array(place.path("deep/er/set").utf8))
    #expect(set.previousPath == nil)
    try download(into: set)
    #expect(try publish(set) == .published)
    #expect(files("deep/er/set") == ["a": "new a", "sub/c": "new c", "sub/d": "new d"])
    #expect(place.names(in: "deep/er") == ["set"])
  }

  @Test func `is where a symbolic link leads to`() throws {
    try make()
    symlink("set", place.path("current"))
    let set = try NextSet(of: Array(place.path("current").utf8))
    try download(into: set)
    #expect(try publish(set) == .published && status("current").kind == .symbolicLink)
    #expect(files("current") == Self.new && place.names() == ["current", "set"])
  }

  @Test func `leaves no trace where nothing is new`() throws {
    try make()
    let before = try status("set")
    let set = try NextSet(of: path)
    mkdir(String(decoding: set.newPath, as: UTF8.self) + "/sub", 0o755)
    #expect(try publish(set) == .none)
    #expect(try files() == Self.old && place.names() == ["set"] && status("set").inode == before.inode)
  }

  @Test func `is kept for the next run unless it is empty`() throws {
    try make()
    for isEmpty in [true, false] {
      let set = try NextSet(of: path)
      if !isEmpty { try download(into: set) }
      #expect(set.discardIfEmpty() == isEmpty)
      #expect(place.names() == (isEmpty ? ["set"] : ["set", "set.swiftget-next"]))
    }
    #expect(try publish(NextSet(of: path)) == .published)
    #expect(files() == Self.new && place.names() == ["set"])
  }

  private func names(_ names: [String]) -> SetNames {
    SetNames(names.map { StableHash.fnv1a($0) }) { StableHash.fnv1a($0) }
  }

  /// What an earlier run wanted, and what it lacked; what the next one wants, and what stays of a, sub/c and sub/d. Nil
  /// where the next one is refused.
  @Test(
    arguments: [
      (["a", "sub/c", "sub/d", "x"], ["x"], ["a", "sub/c", "sub/d", "x"], ["a", "sub/c", "sub/d"]),
      (["a", "sub/c", "sub/d", "x"], ["x"], ["x"], ["a", "sub/c", "sub/d"]),
      (["a", "sub/c", "sub/d", "x"], ["x"], ["a", "x"], ["a", "sub/c", "sub/d"]),
      (["a", "sub/c", "sub/d", "x", "y"], ["x", "y"], ["x"], nil),
      (["a", "sub/c", "sub/d", "x"], ["x"], ["a"], nil),
      (["a", "sub/c", "sub/d", "x"], nil, ["x"], nil),
      (["a", "sub/c", "sub/d", "x"], ["x"], ["a", "sub/c", "sub/d"], ["a", "sub/c", "sub/d"]),
      (["a", "sub/c", "sub/d", "x"], ["x"], ["x", "y"], []),
      (["a", "sub/c", "sub/d", "x"], ["x"], ["y", "sub/d"], ["sub/d"]),
      (["a", "sub/c", "sub/d", "x"], ["x"], ["a", "sub/c", "sub/d", "y"], ["a", "sub/c", "sub/d"]),
      (nil, nil, ["a", "y"], ["a"]),
    ] as [([String]?, [String]?, [String], [String]?)])
  func `is one set whatever an earlier run has left`(
    wanted: [String]?, missing: [String]?, next: [String], left: [String]?
  ) throws {
    try make()
    let new = "set.swiftget-next/new"
    do {
      let first = try NextSet(of: path)
      if let wanted { try first.begin(names(wanted), syncs: true) }
      try download(into: first)
      if let missing { try first.record(missing: names(missing).keys, syncs: false) }
    }
    let second = try NextSet(of: path)
    if let left {
      try second.begin(names(next), syncs: true)
      let found = files(new).keys.filter { !$0.hasSuffix("-part") }
      #expect(found.sorted() == left.sorted() && files(new)["e.swiftget-part"] == "part")
      #expect(place.names(in: new).contains("sub") == left.contains { $0.hasPrefix("sub/") })
    } else {
      #expect(throws: SetRefusal.isPart) { try second.begin(names(next), syncs: true) }
      #expect(files(new).count == 4)
    }
  }

  @Test func `has no record if that is damaged`() throws {
    try make()
    let name = "set.swiftget-next/names"
    try place.makeDirectory("set.swiftget-next")
    try place.makeDirectory("set.swiftget-next/new")
    for damage in 0..<4 {
      let directory = try SystemCalls.openat(
        SystemCalls.workingDirectory, Array(place.path("set.swiftget-next").utf8), O_RDONLY | O_DIRECTORY)
      let record = SetRecord(directory: directory.raw)
      try record.begin([1, 2, 3], syncs: false)
      #expect(record.readNames() == [1, 2, 3] && record.readMissing() == nil)
      var bytes = try place.read(name)
      switch damage {
      case 0: bytes.removeLast()
      case 1: bytes.removeLast(8)
      case 2: bytes[0] = 0
      default: bytes[bytes.count - 1] = 1
      }
      try Content.bytes(bytes).write(to: place.path(name))
      #expect(damage == 3 ? record.readNames() != [1, 2, 3] : record.readNames() == nil)
    }
  }

  @Test func `belongs to one run`() throws {
    try make()
    let set = try NextSet(of: path)
    #expect(throws: SetRefusal.held) { try NextSet(of: path) }
    _ = set.discardIfEmpty()
    #expect(throws: Never.self) { try NextSet(of: path) }
  }

  @Test func `is refused where it cannot take the place`() throws {
    try place.write("file", "")
    #expect(throws: SetRefusal.isNoDirectory) { try NextSet(of: Array(place.path("file").utf8)) }
    #expect(throws: SetRefusal.isMountPoint) { try NextSet(of: Array("/".utf8)) }
    #expect(throws: SetRefusal.isMountPoint) { try NextSet(of: Array("/proc".utf8)) }
    symlink("nothing", place.path("dangling"))
    #expect(throws: SetRefusal.self) { try NextSet(of: Array(place.path("dangling").utf8)) }
    try make()
    for (call, refusal) in [
      (SystemCall.renameat, SetRefusal.cannotExchange(errno: EINVAL)), (.linkat, .cannotLink(errno: EINVAL)),
    ] {
      FaultTable.withFaults([Fault(call, persists: true, .failure(EINVAL))]) {
        _ = #expect(throws: refusal) { try NextSet(of: path) }
      }
    }
    #expect(files() == Self.old && place.names() == ["dangling", "file", "set"])
  }

  @Test func `does not need locks`() throws {
    try make()
    try FaultTable.withFaults([Fault(.flock, persists: true, .failure(ENOLCK))]) {
      let set = try NextSet(of: path)
      try download(into: set)
      #expect(try publish(set) == .published && files() == Self.new)
    }
  }

  @Test func `is refused where a file and a directory have the same name`() throws {
    try make()
    let set = try NextSet(of: path)
    try download(into: set)
    unlink(place.path("set/sub/c"))
    rmdir(place.path("set/sub"))
    try place.write("set/sub", "a file now")
    #expect(throws: SetRefusal.conflict(path + Array("/sub".utf8))) { try publish(set) }
    #expect(files() == ["a": "old a", "b": "old b", "mine/x": "x", "sub": "a file now"])
  }

  @Test func `is refused where a file cannot be linked`() throws {
    try make()
    let set = try NextSet(of: path)
    try download(into: set)
    try FaultTable.withFaults([Fault(.linkat, number: 2, .failure(EPERM))]) {
      do {
        let published = try publish(set)
        Issue.record("\(published)")
      } catch SetRefusal.cannotKeep(let name, errno: EPERM) {
        #expect(name.starts(with: path))
      }
    }
    #expect(files() == Self.old && place.names() == ["set", "set.swiftget-next"])
    #expect(try publish(set) == .published && files() == Self.new)
  }

  @Test func `keeps what others add while it takes the place`() throws {
    try make(["a": "1", "sub/b": "2", "gone/c": "3"])
    try place.makeDirectory("previous")
    try place.makeDirectory("previous/late")
    try place.makeDirectory("previous/sub")
    for (name, text) in [("a", "0"), ("late/file", "late"), ("sub/new", "new"), ("x.swiftget-part", "part")] {
      try place.write("previous/\(name)", text)
    }
    let parent = try SystemCalls.openat(SystemCalls.workingDirectory, Array(place.path.utf8), O_RDONLY | O_DIRECTORY)
    let next = try SystemCalls.openat(parent.raw, Array("set".utf8), O_RDONLY | O_DIRECTORY)
    // As a run of an earlier version left it.
    try FileSet.retire(Array("previous".utf8), in: parent.raw, for: next.raw, known: nil)
    #expect(place.names() == ["set"])
    #expect(
      files() == [
        "a": "1", "sub/b": "2", "gone/c": "3", "late/file": "late", "sub/new": "new", "x.swiftget-part": "part",
      ])
  }

  private func open(_ name: String) throws -> FileDescriptor {
    try SystemCalls.openat(
      SystemCalls.workingDirectory, Array(place.path(name).utf8), O_RDONLY | O_DIRECTORY)
  }

  private func save(_ name: String, _ text: String) throws {
    try place.write("saved", text)
    #expect(rename(place.path("saved"), place.path(name)) == 0)
  }

  /// The user saves, adds and removes files while the set takes the place, and the run is killed now and then.
  @Test(arguments: 0...12) func `has what its user saves meanwhile, and not what he removes`(killed: Int) throws {
    try make(["a": "old", "b": "old", "c": "old", "d": "old", "sub/e": "old", "gone/f": "old", "left/g": "old"])
    for name in ["previous.swiftget-next", "sub/x.swiftget-bad"] { try place.write("set/\(name)", "of the user") }
    for name in ["new", "next"] { try place.makeDirectory(name) }
    for name in ["a", "n", "b2"] { try place.write("new/\(name)", "new") }
    let previous = try open("set")
    let added = try open("new")
    let next = try open("next")
    let leaves = ["d", "gone/f", "left/g"]
    let choice = FileSet.Choice {
      false
    } isLeftOut: { path, _ in
      leaves.contains(String(decoding: path, as: UTF8.self))
    }
    let known = try FileSet.assemble(previous: previous.raw, added: added.raw, into: next.raw, choice)
    let copy = try #require(SetFiles(text: known.text))
    #expect(place.names(in: "next") == ["a", "b", "b2", "c", "n", "sub"])
    // Before the exchange.
    for name in ["a", "b", "sub/e", "late"] { try save("set/\(name)", "saved") }
    try place.write("set/left/h", "added")
    // What the user has replaced is in the next set, and its time of change is later than that of what he saved.
    pause(seconds: 0.02)
    #expect(chmod(place.path("next/sub/e"), 0o640) == 0)
    // After it.
    #expect(unlink(place.path("next/c")) == 0)
    let parent = try open(".")
    let faults = killed == 0 ? [] : [Fault(.unlinkat, number: killed, persists: true, .failure(EIO))]
    try? FaultTable.withFaults(faults) {
      try FileSet.retire(Array("set".utf8), in: parent.raw, for: next.raw, known: copy)
    }
    if fileExists(place.path("set")) {
      try FileSet.retire(Array("set".utf8), in: parent.raw, for: next.raw, known: copy)
    }
    #expect(
      files("next") == [
        "a": "saved", "b": "saved", "b2": "new", "n": "new", "sub/e": "saved", "late": "saved", "left/h": "added",
        "previous.swiftget-next": "of the user", "sub/x.swiftget-bad": "of the user",
      ])
    #expect(!fileExists(place.path("set")))
  }

  @Test func `leaves out what earlier ones had and the list has no more`() throws {
    func publish(_ names: [String], prunes: Bool) throws -> NextSet {
      let record = PublishedFiles(in: Array(place.path("cache").utf8), of: path)
      let set = try NextSet(of: path, record: record)
      let keys = names.map { StableHash.fnv1a($0) }
      try set.begin(SetNames(keys) { StableHash.fnv1a($0) }, syncs: false)
      let new = String(decoding: set.newPath, as: UTF8.self)
      mkdir("\(new)/sub", 0o755)
      for name in names where !fileExists(place.path("set/\(name)")) {
        try Content.text(name).write(to: "\(new)/\(name)")
      }
      _ = try set.publish(syncs: false, prunes: prunes, hearing: signals)
      return set
    }
    try make(["mine": "mine", "mine2": "mine"])
    _ = try publish(["a", "b", "sub/c"], prunes: true)
    #expect(files().keys.sorted() == ["a", "b", "mine", "mine2", "sub/c"])
    // What was not left out then is known later, too.
    #expect(try publish(["a", "d"], prunes: false).prunedCount == 0)
    #expect(files().keys.sorted() == ["a", "b", "d", "mine", "mine2", "sub/c"])
    try save("set/b", "of the user")
    #expect(try publish(["a", "mine2"], prunes: true).prunedCount == 2)
    #expect(files() == ["a": "a", "b": "of the user", "mine": "mine", "mine2": "mine"])
    #expect(place.names(in: "set") == ["a", "b", "mine", "mine2"], "an empty directory goes, too")
    #expect(try publish(["a"], prunes: true).prunedCount == 1)
    #expect(files().keys.sorted() == ["a", "b", "mine"] && place.names() == ["cache", "set"])
  }

  @Test(.enabled(if: geteuid() == 0, "mounts need root"))
  func `is refused before the download where the directory cannot be exchanged`() throws {
    let binary = try swiftgetPath()
    for (mount, told) in [
      ("mkdir d && mount --bind d d", "a file system of its own"),
      (
        "mkdir -p lower/d upper work m && mount -t tmpfs none work && mkdir work/u work/w && "
          + "mount -t overlay -o lowerdir=lower,upperdir=work/u,workdir=work/w none m && cd m", "cannot exchange"
      ),
    ] {
      let scratch = try TemporaryDirectory()
      let result = try runProgram(
        "/usr/bin/unshare",
        ["-m", "sh", "-c", "{ \(mount); } || exit 77; exec \(binary) --no-config --atomic -d d http://127.0.0.1:1/f"],
        directory: scratch.path)
      // Not every system has the mount.
      if result.status == 77 { continue }
      #expect(result.status == 3 && result.errorText.contains(told), "\(result.errorText)")
    }
  }

  @Test func `has files whose marks are valid`() throws {
    try make()
    func target(_ directory: [UInt8], _ name: String) throws -> TargetPlace {
      try TargetDirectory.open(path: directory).resolve(name.split(separator: "/").map { Array($0.utf8) })
    }
    func mark(_ directory: [UInt8], _ name: String) throws {
      let file = try ExistingFile(target(directory, name))
      try file.mark(FileAttributes(urlHash: 7))
    }
    func isMarked(_ name: String) throws -> Bool {
      guard case .regular(let file) = try ExistingTarget.inspect(target(path, name)) else { return false }
      return file.isVouched(forURLHash: 7)
    }
    /// Makes a mark old enough that it does not outlive a change in the next second.
    func age(_ directory: [UInt8], _ name: String) throws {
      guard case .regular(let file) = try ExistingTarget.inspect(target(directory, name)), var mark = file.verified
      else { return }
      mark.writtenAt = Int64(time(nil)) - VerifiedMark.publicationTime
      let place = try target(directory, name)
      let opened = try SystemCalls.openat(place.directory.raw, place.name, O_RDONLY)
      try SystemCalls.fsetxattr(opened.raw, .verified, mark.bytes)
    }
    try mark(path, "b")
    guard try isMarked("b") else { return print("not run: no attributes here") }
    try mark(path, "mine/x")
    let set = try NextSet(of: path)
    try download(into: set)
    try mark(set.newPath, "sub/d")
    // Between two seconds, so that all this is in one of them.
    waitForSecond()
    try age(path, "b")
    try age(path, "mine/x")
    try age(set.newPath, "sub/d")
    #expect(try isMarked("b") && isMarked("mine/x"))
    waitForSecond()
    // A file whose size and times are as before, but not its content.
    let before = try status("set/mine/x").modified
    try place.write("set/mine/x", "y")
    var times = [timespec](repeating: timespec(tv_sec: Int(before.seconds), tv_nsec: Int(before.nanoseconds)), count: 2)
    utimensat(AT_FDCWD, place.path("set/mine/x"), &times, 0)
    #expect(try publish(set) == .published)
    #expect(try isMarked("b") && isMarked("sub/d") && !isMarked("mine/x") && !isMarked("a"))
  }

  /// Waits for the beginning of the next second.
  private func waitForSecond() {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    pause(seconds: 1.01 - Double(now.tv_nsec) / 1e9)
  }

  /// The calls that change names or wait for the disk, each of which fails once, and then for good.
  private static let calls: [SystemCall] = [
    .mkdirat, .linkat, .renameat, .unlinkat, .openat, .fsync, .syncfs, .fstat, .fstatat, .fchmod, .futimens, .pwrite,
  ]

  @Test(arguments: [false, true], calls)
  func `is the old or the new one after any failure, and the next run ends the work`(
    persists: Bool, call: SystemCall
  ) throws {
    var published = 0
    for number in 1...200 {
      let scratch = try `The next set of a directory`()
      try scratch.make()
      let recorded = try scratch.publishFailing(Fault(call, number: number, persists: persists, .failure(EIO)))
      #expect([Self.old, Self.new].contains(scratch.files()), "\(call) \(number)")
      try scratch.endWork("\(call) \(number)")
      // The number is that of a call that was not made.
      guard recorded.count(where: { $0.call == call }) >= number else {
        published = number
        break
      }
    }
    #expect(published > 1)
  }

  private func publishFailing(_ fault: Fault) throws -> [RecordedCall] {
    let set = try NextSet(of: path)
    try download(into: set)
    return FaultTable.recording {
      FaultTable.withFaults([fault]) { _ = try? publish(set) }
    }
  }

  /// As the next run does.
  private func endWork(_ what: String) throws {
    let set = try NextSet(of: path)
    if files() == Self.old { try download(into: set) }
    let published = try publish(set)
    #expect(files() == Self.new && place.names() == ["set"], "\(what): \(published)")
  }
}

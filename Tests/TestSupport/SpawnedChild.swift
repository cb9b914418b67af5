import Glibc

/// A started child process, with this process's ends of its pipes.
struct SpawnedChild {
  let identifier: pid_t
  let input: Int32?
  let output: Int32?
  let error: Int32?
}

/// Starts a program with posix_spawn.
///
/// `prlimit` and `env` set the descriptor limit, the directory and the test's variables and then execute the program. A
/// library that the test preloads is for the program only: it may need the functions of a sanitizer.
func spawnChild(_ invocation: ProgramInvocation) throws -> SpawnedChild {
  signal(SIGPIPE, SIG_IGN)
  var command = [invocation.path] + invocation.arguments
  let variables = invocation.environment.map { "\($0.key)=\($0.value)" }
  let directory = invocation.directory.map { ["-C", $0] } ?? []
  if !variables.isEmpty || !directory.isEmpty { command = ["/usr/bin/env"] + directory + variables + command }
  if let limit = invocation.descriptorLimit { command = ["/usr/bin/prlimit", "--nofile=\(limit)"] + command }
  return try descriptorGuard.withLock { _ in
    var ends = ChildEnds()
    defer { ends.closeTheirs() }
    do {
      try ends.open(for: invocation)
      return try spawn(command, fixedEnvironment, ends, invocation)
    } catch {
      ends.closeOurs()
      throw error
    }
  }
}

/// Both ends of the pipes or the terminal that connect a child with the test.
private struct ChildEnds {
  var theirs: [Int32: Int32] = [:]
  var ours: [Int32: Int32] = [:]

  mutating func open(for invocation: ProgramInvocation) throws {
    var wanted: Set<Int32> = [1, 2]
    if invocation.input != nil { wanted.insert(0) }
    if let size = invocation.terminal {
      try openTerminal(size)
      wanted.remove(2)
      wanted.remove(1)
      if invocation.outputPath == nil { theirs[1] = theirs[2] }
    }
    if invocation.outputPath != nil { wanted.remove(1) }
    for number in wanted.subtracting(invocation.closedDescriptors) {
      var pair: [Int32] = [0, 0]
      guard pipe(&pair) == 0 else { throw TestSupportError.systemCall("pipe", errno) }
      pair.forEach(keepFromChildren)
      ours[number] = number == 0 ? pair[1] : pair[0]
      theirs[number] = number == 0 ? pair[0] : pair[1]
    }
  }

  private mutating func openTerminal(_ size: (columns: UInt16, rows: UInt16)) throws {
    var window = winsize(ws_row: size.rows, ws_col: size.columns, ws_xpixel: 0, ws_ypixel: 0)
    var master: Int32 = -1
    var slave: Int32 = -1
    guard openpty(&master, &slave, nil, nil, &window) == 0 else { throw TestSupportError.systemCall("openpty", errno) }
    keepFromChildren(master)
    keepFromChildren(slave)
    ours[2] = master
    theirs[2] = slave
  }

  func closeTheirs() { for descriptor in Set(theirs.values) { close(descriptor) } }
  func closeOurs() { for descriptor in ours.values { close(descriptor) } }
}

private var fixedEnvironment: [String] {
  // A home that not even root can make, so that no program leaves anything there for other tests.
  var variables = [
    "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8", "HOME": "/proc/nonexistent", "TZ": "UTC",
  ]
  for name in ["LD_LIBRARY_PATH", "ASAN_OPTIONS", "TSAN_OPTIONS", "LSAN_OPTIONS", "TMPDIR"] {
    if let value = getenv(name) { variables[name] = String(cString: value) }
  }
  return variables.map { "\($0.key)=\($0.value)" }
}

private func spawn(
  _ command: [String], _ environment: [String], _ ends: ChildEnds, _ invocation: ProgramInvocation
) throws -> SpawnedChild {
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  for number: Int32 in 0...2 {
    if invocation.closedDescriptors.contains(number) {
      posix_spawn_file_actions_addclose(&actions, number)
    } else if number == 1, let path = invocation.outputPath {
      posix_spawn_file_actions_addopen(&actions, 1, path, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    } else if let descriptor = ends.theirs[number] {
      posix_spawn_file_actions_adddup2(&actions, descriptor, number)
    } else {
      posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
    }
  }
  // What other tests have open would take descriptors below its limit.
  for descriptor: Int32 in 3..<256 { posix_spawn_file_actions_addclose(&actions, descriptor) }
  var attributes = posix_spawnattr_t()
  posix_spawnattr_init(&attributes)
  defer { posix_spawnattr_destroy(&attributes) }
  var signals = sigset_t()
  sigemptyset(&signals)
  posix_spawnattr_setsigmask(&attributes, &signals)
  for number in [SIGPIPE, SIGINT, SIGHUP, SIGTERM] { sigaddset(&signals, number) }
  posix_spawnattr_setsigdefault(&attributes, &signals)
  posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))

  let arguments = command.map { strdup($0) } + [nil]
  let variables = environment.map { strdup($0) } + [nil]
  defer { (arguments + variables).forEach { free($0) } }
  var identifier: pid_t = 0
  let status = posix_spawn(&identifier, command[0], &actions, &attributes, arguments, variables)
  guard status == 0 else { throw TestSupportError.systemCall("posix_spawn \(command[0])", status) }
  return SpawnedChild(identifier: identifier, input: ends.ours[0], output: ends.ours[1], error: ends.ours[2])
}

import Glibc
import TestSupport
import Testing

/// Lists that come through pipes whose writers take their time.
@Suite(.waiting) struct `A list that is slow to come` {
  private let place: Workplace

  init() throws { place = try Workplace() }

  /// Runs a command line of the shell in which `$s` is the program.
  private func shell(_ line: String) throws -> ProgramResult {
    var invocation = ProgramInvocation("/bin/bash", ["-c", "s='\(try swiftgetPath())'; \(line)"])
    invocation.directory = place.directory.path
    invocation.timeLimit = 60
    return try place.run(invocation)
  }

  @Test(arguments: [("TERM", Int32(143)), ("INT", 130), ("HUP", 143)], ["-", "pipe"])
  func `is given up at a signal, with hook and log`(signal: (name: String, status: Int32), list: String) throws {
    let hook = "--on-exit 'sh -c \"echo $SWIFTGET_EXIT > ended\"'"
    // Interactive: a background job would ignore SIGINT.
    let result = try shell(
      "set -m; mkfifo pipe; exec 9<>pipe; \"$s\" --no-config --log log \(hook) -i \(list) < pipe & "
        + "sleep 0.7; kill -\(signal.name) $!; wait $!; exit $?")
    #expect(result.status == signal.status, "\(result.told)")
    #expect(try place.text("ended").hasPrefix("\(signal.status)\n"), "\(result.told)")
    #expect(try place.text("log").contains("the run ends with status \(signal.status)"), "\(result.told)")
  }

  @Test func `costs no time of a processor, even where reading does not block`() throws {
    let script = """
      import os, subprocess, sys, time, resource
      r, w = os.pipe()
      os.set_blocking(r, False)
      p = subprocess.Popen([sys.argv[1], '--no-config', '--check', '-i', '-'], stdin=r)
      os.close(r)
      time.sleep(1.5)
      os.write(w, b'https://h/absent\\n')
      os.close(w)
      p.wait()
      used = resource.getrusage(resource.RUSAGE_CHILDREN)
      print(p.returncode, used.ru_utime + used.ru_stime < 0.7)
      """
    var invocation = ProgramInvocation("/usr/bin/python3", ["-c", script, try swiftgetPath()])
    invocation.directory = place.directory.path
    let result = try place.run(invocation)
    #expect(result.outputText.hasSuffix("9 True\n"), "\(result.outputText) \(result.told)")
  }
}

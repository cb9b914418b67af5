import Glibc
import Testing

@testable import CommandMain

@Suite struct `Process setup` {
  @Test func `closed standard descriptors stay unusable and are not reused`() async {
    await #expect(processExitsWith: .exitCode(7)) {
      for descriptor: Int32 in 0...2 { close(descriptor) }
      _ = ProcessSetup.openStandardDescriptors()
      var byte: UInt8 = 0
      let isUseless = read(0, &byte, 1) == -1 && write(1, &byte, 1) == -1 && write(2, &byte, 1) == -1
      let next = open("/dev/null", O_RDONLY)
      exit(isUseless && next > 2 ? 7 : 1)
    }
  }

  @Test func `the descriptor limit is raised to at most 8192`() async {
    await #expect(processExitsWith: .exitCode(7)) {
      var limit = rlimit(rlim_cur: 64, rlim_max: 300)
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      exit(ProcessSetup.raiseDescriptorLimit() == 300 ? 7 : 1)
    }
  }
}

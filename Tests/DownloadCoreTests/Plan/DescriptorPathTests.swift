import Testing

@testable import DownloadCore

@Suite struct `Paths of descriptors` {
  @Test(arguments: [
    ("/dev/stdout", 1), ("/dev/stderr", 2), ("/dev/stdin", 0), ("/dev/fd/3", 3), ("/proc/self/fd/63", 63),
    ("/proc/thread-self/fd/7", 7), ("//dev/./fd//9", 9), ("/dev/fd/", nil), ("/dev/fd/x", nil), ("/dev/fd/-1", nil),
    ("/dev/fd/99999999999", nil), ("/dev/stdout/a", nil), ("/dev/null", nil), ("dev/stdout", nil),
    ("/proc/1/fd/1", nil),
    ("/dev/fd/1/2", nil), ("/", nil), ("", nil),
  ])
  func `are told from those of files`(path: String, expected: Int32?) {
    #expect(DescriptorPath.descriptor(of: Array(path.utf8)) == expected)
  }
}

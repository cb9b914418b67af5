@testable import FileStore
import Foundation
import Testing

@Suite struct `Stream target` {
  @Test func `a pipe without a reader says so, with one it takes bytes in order`() throws {
    let scratch = try Scratch()
    #expect(mkfifo(scratch.path + "/pipe", 0o600) == 0)
    let place = try scratch.place("pipe")
    #expect(throws: SystemCallError(.openat, ENXIO)) { try StreamTarget.open(place) }
    let reader = open(scratch.path + "/pipe", O_RDONLY | O_NONBLOCK)
    defer { close(reader) }
    let target = try StreamTarget.open(place)
    let bytes = pattern(300_000)
    var received: [UInt8] = []
    var sent = 0
    var buffer = [UInt8](repeating: 0, count: 50_000)
    while received.count < bytes.count {
      sent += try bytes[sent...].withUnsafeBytes { try target.writeAvailable($0) }
      let count = read(reader, &buffer, buffer.count)
      try #require(count > 0)
      received += buffer[..<count]
    }
    #expect(received == bytes)
  }

  @Test func `a full pipe takes nothing and does not wait`() throws {
    let scratch = try Scratch()
    #expect(mkfifo(scratch.path + "/pipe", 0o600) == 0)
    let reader = open(scratch.path + "/pipe", O_RDONLY | O_NONBLOCK)
    defer { close(reader) }
    let target = try StreamTarget.open(scratch.place("pipe"))
    let first = try pattern(2_000_000).withUnsafeBytes { try target.writeAvailable($0) }
    #expect(first > 0 && first < 2_000_000)
    #expect(try pattern(10).withUnsafeBytes { try target.writeAvailable($0) } == 0)
  }

  @Test func `a reader that goes away is an error of the write`() throws {
    try ProcessSetup.ignoreSignals()
    let scratch = try Scratch()
    #expect(mkfifo(scratch.path + "/pipe", 0o600) == 0)
    let reader = open(scratch.path + "/pipe", O_RDONLY | O_NONBLOCK)
    let target = try StreamTarget.open(scratch.place("pipe"))
    close(reader)
    #expect(throws: SystemCallError(.write, EPIPE)) {
      try pattern(10).withUnsafeBytes { try target.writeAvailable($0) }
    }
  }

  @Test func `a descriptor that is not ready after all is asked again`() throws {
    let scratch = try Scratch()
    #expect(mkfifo(scratch.path + "/pipe", 0o600) == 0)
    let reader = open(scratch.path + "/pipe", O_RDONLY | O_NONBLOCK)
    defer { close(reader) }
    let target = try StreamTarget.open(scratch.place("pipe"))
    let counts = try FaultTable.withFaults([Fault(.write, .failure(EAGAIN)), Fault(.write, number: 2, .short(3))]) {
      try (0..<2).map { _ in try pattern(10).withUnsafeBytes { try target.writeAvailable($0) } }
    }
    #expect(counts == [0, 10])
    var buffer = [UInt8](repeating: 0, count: 20)
    #expect(read(reader, &buffer, 20) == 10 && Array(buffer.prefix(10)) == pattern(10))
  }

  @Test func `a device takes everything, a file is refused`() throws {
    let devices = try TargetDirectory.open(path: Array("/dev".utf8))
    let target = try StreamTarget.open(devices.resolve([Array("null".utf8)]))
    #expect(try pattern(100_000).withUnsafeBytes { try target.writeAvailable($0) } == 100_000)
    let full = try StreamTarget.open(devices.resolve([Array("full".utf8)]))
    #expect(throws: SystemCallError(.write, ENOSPC)) { try pattern(10).withUnsafeBytes { try full.writeAvailable($0) } }
    let scratch = try Scratch()
    try scratch.write("x", [1])
    #expect(throws: SystemCallError(.openat, EINVAL)) { try StreamTarget.open(scratch.place("x")) }
  }
}

@Suite struct `Process setup` {
  @Test func `closed standard descriptors stay useless, and nothing else is opened under their numbers`() async {
    await #expect(processExitsWith: .exitCode(7)) {
      for descriptor: Int32 in 0...2 { close(descriptor) }
      try ProcessSetup.openStandardDescriptors()
      var byte: UInt8 = 0
      let isUseless = read(0, &byte, 1) == -1 && write(1, &byte, 1) == -1 && write(2, &byte, 1) == -1
      let next = open("/dev/null", O_RDONLY)
      exit(isUseless && next > 2 ? 7 : 1)
    }
  }

  @Test func `the limit of descriptors goes up to 8192 at most`() async {
    await #expect(processExitsWith: .exitCode(7)) {
      var limit = rlimit(rlim_cur: 64, rlim_max: 300)
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      exit(ProcessSetup.raiseDescriptorLimit() == 300 ? 7 : 1)
    }
  }

  @Test func `a file too large is an error, not a death`() async {
    await #expect(processExitsWith: .success) {
      try ProcessSetup.ignoreSignals()
      var limit = rlimit(rlim_cur: 100, rlim_max: 100)
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      let scratch = try Scratch()
      let part = try PartFile.create(scratch.place("x"))
      let error = #expect(throws: SystemCallError.self) { try write(pattern(200), to: part) }
      #expect(error?.isFileTooLarge == true)
    }
  }

  @Test func `the umask is read without changing it`() async {
    await #expect(processExitsWith: .exitCode(7)) {
      umask(0o027)
      let found = ProcessSetup.umask
      exit(found == 0o027 && umask(0) == 0o027 ? 7 : 1)
    }
  }

  @Test func `free space and boot id are told`() throws {
    let scratch = try Scratch()
    let free = try #require(FreeSpace(in: scratch.directory.base))
    #expect(free.availableByteCount > free.usableByteCount && free.usableByteCount > 0)
    #expect(BootID.current.utf8.count == 36)
  }

  @Test(arguments: [(1 << 20, 10485), (1 << 40, 8 << 20), (100, 1)])
  func `a hundredth of the file system stays free, and no more than 8 MiB`(
    byteCount: Int, reserve: Int
  ) throws {
    func free(_ available: Int64, of byteCount: Int) -> FreeSpace? {
      FreeSpace(
        FileSystemStatus(availableByteCount: available, byteCount: Int64(byteCount), isInMemory: false))
    }
    let found = try #require(free(910_485, of: byteCount))
    #expect(found.reserve == Int64(reserve))
    #expect(found.usableByteCount == max(0, 910_485 - Int64(reserve)))
    #expect(try #require(free(Int64(reserve), of: byteCount)).isExhausted)
    #expect(try #require(free(0, of: byteCount)).usableByteCount == 0)
    #expect(free(0, of: 0) == nil, "a share that counts nothing")
  }
}

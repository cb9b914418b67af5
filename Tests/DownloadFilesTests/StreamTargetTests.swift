@testable import DownloadFiles
import Foundation
import TestSupport
import Testing

@Suite struct `Stream target` {
  @Test func `a pipe without a reader is reported; with a reader it accepts bytes in order`() throws {
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

  @Test func `a full pipe accepts nothing and does not block`() throws {
    let scratch = try Scratch()
    #expect(mkfifo(scratch.path + "/pipe", 0o600) == 0)
    let reader = open(scratch.path + "/pipe", O_RDONLY | O_NONBLOCK)
    defer { close(reader) }
    let target = try StreamTarget.open(scratch.place("pipe"))
    let first = try pattern(2_000_000).withUnsafeBytes { try target.writeAvailable($0) }
    #expect(first > 0 && first < 2_000_000)
    #expect(try pattern(10).withUnsafeBytes { try target.writeAvailable($0) } == 0)
  }

  @Test func `a closed reader is an error of the write`() throws {
    signal(SIGPIPE, SIG_IGN)
    let scratch = try Scratch()
    #expect(mkfifo(scratch.path + "/pipe", 0o600) == 0)
    let reader = open(scratch.path + "/pipe", O_RDONLY | O_NONBLOCK)
    let target = try StreamTarget.open(scratch.place("pipe"))
    close(reader)
    #expect(throws: SystemCallError(.write, EPIPE)) {
      try pattern(10).withUnsafeBytes { try target.writeAvailable($0) }
    }
  }

  @Test func `a write to a descriptor that is not ready is repeated`() throws {
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

  @Test func `a descriptor that is closed on exec, or only read, is none of the user`() throws {
    let scratch = try Scratch()
    let own = open(scratch.path + "/own", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    let inherited = open(scratch.path + "/inherited", O_WRONLY | O_CREAT, 0o600)
    let source = open(scratch.path + "/own", O_RDONLY)
    defer { for descriptor in [own, inherited, source] { close(descriptor) } }
    #expect([own, inherited, source, 987_654].map(StreamTarget.mayInherit) == [false, true, false, false])
  }

  @Test func `a device accepts everything, a file is refused`() throws {
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

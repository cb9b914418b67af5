import CSwiftGetShims
import Glibc
import TestSupport
import Testing

@testable import DownloadTransport

@Suite(.waiting, .serialized) struct `Interests of an epoll descriptor` {
  private let epoll = shim_epoll_create()
  private let interests: EpollInterests

  init() { interests = EpollInterests(epoll: epoll) }

  /// Both ends of a pipe with a byte in it.
  private func filledPipe() throws -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    // Programs that other tests start keep none of them open.
    for end in ends { try #require(fcntl(end, F_SETFD, FD_CLOEXEC) == 0) }
    try #require(write(ends[1], [0xff] as [UInt8], 1) == 1)
    return (ends[0], ends[1])
  }

  /// The tokens that are reported now.
  private func reported() -> [UInt64] {
    interests.tellKernel()
    let events = UnsafeMutablePointer<shim_event>.allocate(capacity: 16)
    defer { events.deallocate() }
    let count = shim_epoll_wait(epoll, events, 16, 0)
    return (0..<max(0, Int(count))).map { events[$0].token }.sorted()
  }

  @Test func `of a tag that is silent are kept, and reported later`() throws {
    defer { close(epoll) }
    let pipes = try (0..<3).map { _ in try filledPipe() }
    defer { for pipe in pipes { for end in [pipe.reading, pipe.writing] { close(end) } } }
    for (index, pipe) in pipes.enumerated() {
      interests.set(pipe.reading, UInt32(SHIM_READABLE), token: UInt64(index) << 32 | 5, isNew: true)
    }
    let all: [UInt64] = [5, 1 << 32 | 5, 2 << 32 | 5]
    #expect(reported() == all)
    interests.setSilent(true, tag: 1)
    #expect(reported() == [all[0], all[2]])
    // What is wanted meanwhile counts then.
    interests.set(pipes[1].writing, UInt32(SHIM_WRITABLE), token: 1 << 32 | 6, isNew: true)
    #expect(reported() == [all[0], all[2]])
    interests.setSilent(false, tag: 1)
    #expect(reported() == [5, 1 << 32 | 5, 1 << 32 | 6, 2 << 32 | 5])
  }

  @Test func `begin, change and end`() throws {
    defer { close(epoll) }
    let pipe = try filledPipe()
    defer { for end in [pipe.reading, pipe.writing] { close(end) } }
    #expect(reported().isEmpty)
    interests.set(pipe.reading, UInt32(SHIM_READABLE), token: 7, isNew: true)
    interests.set(pipe.writing, UInt32(SHIM_WRITABLE), token: 8, isNew: true)
    #expect(reported() == [7, 8] && reported() == [7, 8])
    interests.set(pipe.writing, UInt32(SHIM_READABLE), token: 8, isNew: false)
    interests.set(pipe.reading, UInt32(SHIM_READABLE), token: 9, isNew: false)
    #expect(reported() == [9])
    interests.set(pipe.reading, 0, token: 9, isNew: false)
    #expect(reported().isEmpty)
    interests.set(pipe.reading, UInt32(SHIM_READABLE), token: 9, isNew: true)
    #expect(reported() == [9])
  }

  @Test func `that end and begin again before a wait stay`() throws {
    defer { close(epoll) }
    let pipe = try filledPipe()
    defer { for end in [pipe.reading, pipe.writing] { close(end) } }
    interests.set(pipe.reading, UInt32(SHIM_READABLE), token: 7, isNew: true)
    #expect(reported() == [7])
    interests.set(pipe.reading, 0, token: 7, isNew: false)
    interests.set(pipe.reading, UInt32(SHIM_READABLE), token: 7, isNew: true)
    #expect(reported() == [7])
    interests.set(pipe.reading, UInt32(SHIM_READABLE), token: 7, isNew: false)
    interests.set(pipe.reading, 0, token: 7, isNew: false)
    #expect(reported().isEmpty)
  }

  /// The kernel forgets a descriptor that is closed; another file may have its number before the next wait.
  @Test(arguments: [false, true]) func `in a descriptor that is another file now are its own`(isTold: Bool) throws {
    defer { close(epoll) }
    let old = try filledPipe()
    let new = try filledPipe()
    defer { for end in [old.reading, old.writing, new.reading, new.writing] { close(end) } }
    interests.set(old.reading, UInt32(SHIM_READABLE), token: 7, isNew: true)
    #expect(reported() == [7])
    interests.set(old.reading, 0, token: 7, isNew: false)
    if isTold { interests.tellKernel() }
    try #require(dup2(new.reading, old.reading) == old.reading)
    interests.set(old.reading, UInt32(SHIM_READABLE), token: 7, isNew: true)
    // A program that is just being started has the old file until it begins.
    #expect(eventually { reported() == [7] })
  }

  @Test func `in a descriptor that was closed end without harm to its successor`() throws {
    defer { close(epoll) }
    let old = try filledPipe()
    let new = try filledPipe()
    defer { for end in [old.reading, old.writing, new.reading, new.writing] { close(end) } }
    interests.set(old.reading, UInt32(SHIM_READABLE), token: 7, isNew: true)
    #expect(reported() == [7])
    interests.set(old.reading, 0, token: 7, isNew: false)
    try #require(dup2(new.reading, old.reading) == old.reading)
    #expect(eventually { reported().isEmpty })
    interests.set(old.reading, UInt32(SHIM_READABLE), token: 9, isNew: true)
    #expect(reported() == [9])
  }
}

import Console
import Glibc
import Testing

@Suite struct `Writing to descriptors` {
  @Test func `a full device is an error for data, not for messages`() {
    let descriptor = open("/dev/full", O_WRONLY | O_CLOEXEC)
    defer { close(descriptor) }
    let data = Output(descriptor: descriptor, purpose: .data)
    data.write("x")
    #expect(data.failed == ENOSPC)
    let messages = Output(descriptor: descriptor, purpose: .messages)
    messages.write("x")
    #expect(messages.failed == nil)
  }

  @Test func `a pipe without a reader is recorded once`() {
    signal(SIGPIPE, SIG_IGN)  // as the program does; nothing else in this process wants the signal
    var ends: [Int32] = [-1, -1]
    #expect(pipe(&ends) == 0)
    close(ends[0])
    defer { close(ends[1]) }
    let output = Output(descriptor: ends[1], purpose: .data)
    output.write("x")
    output.write("y")
    #expect(output.failed == EPIPE)
  }

  @Test func `a message to a stuck reader is dropped after a second`() {
    var ends: [Int32] = [-1, -1]
    #expect(pipe(&ends) == 0)
    for end in ends { #expect(fcntl(end, F_SETFL, O_NONBLOCK) == 0) }
    defer { for end in ends { close(end) } }
    let output = Output(descriptor: ends[1], purpose: .messages)
    let start = ContinuousClock.now
    output.write([UInt8](repeating: 0x61, count: 200_000))
    #expect(ContinuousClock.now - start >= .milliseconds(900))
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while read(ends[0], &buffer, buffer.count) > 0 {}
    output.write("later")
    #expect(read(ends[0], &buffer, buffer.count) == 5)
  }
}

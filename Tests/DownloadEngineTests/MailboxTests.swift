@testable import DownloadEngine
import TestSupport
import Testing

@Suite(.waiting) struct `A mailbox` {
  @Test func `loses nothing of many producers and keeps the order of each`() throws {
    let mailbox = Mailbox<[Int]>()
    let producers = 8
    let each = 2000
    for producer in 0..<producers {
      startThread {
        var number = 0
        while number < each {
          // Single messages and batches alternate.
          if number % 7 == 0, number + 3 <= each {
            mailbox.post((0..<3).map { [producer, number + $0] })
            number += 3
          } else {
            mailbox.post([producer, number])
            number += 1
          }
        }
      }
    }
    var next = Array(repeating: 0, count: producers)
    var count = 0
    while count < producers * each {
      for message in mailbox.waitForAll() {
        #expect(message[1] == next[message[0]])
        next[message[0]] = message[1] + 1
        count += 1
      }
    }
    #expect(next == Array(repeating: each, count: producers))
    #expect(mailbox.takeAll().isEmpty)
  }

  @Test func `delivers each message once, in order, and without waiting on request`() {
    let mailbox = Mailbox<Int>()
    #expect(mailbox.takeAll().isEmpty)
    mailbox.post([])
    #expect(!isReadable(mailbox.descriptor), "an empty batch wakes no reader")
    mailbox.post(1)
    mailbox.post([2, 3])
    #expect(isReadable(mailbox.descriptor))
    #expect(mailbox.takeAll() == [1, 2, 3])
    #expect(!isReadable(mailbox.descriptor) && mailbox.takeAll().isEmpty)
  }

  @Test func `wakes a waiting reader`() {
    let mailbox = Mailbox<Int>()
    startThread {
      pause(seconds: 0.1)
      mailbox.post(7)
    }
    #expect(mailbox.waitForAll() == [7])
  }

  @Test func `wakes again after a waiting reader took the messages`() {
    // waitForAll may take messages before their signal. The remaining signal must not cost a message.
    let mailbox = Mailbox<Int>()
    mailbox.post(1)
    #expect(mailbox.waitForAll() == [1])
    startThread {
      pause(seconds: 0.05)
      mailbox.post(2)
    }
    #expect(mailbox.waitForAll() == [2])
  }
}

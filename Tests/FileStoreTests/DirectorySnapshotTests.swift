import Foundation
import TestSupport
import Testing

@testable import FileStore

@Suite struct `Directory snapshot` {
  @Test func `asks for the first targets, then reads the directory once`() throws {
    let scratch = try Scratch()
    try scratch.write("old", [1])
    try scratch.write("left.swiftget", [1])
    try scratch.write("right.swiftget-part", [1])
    let snapshot = DirectorySnapshot()
    let place = try scratch.place("new")
    let others = try ["old", "left", "right"].map { try scratch.place($0) }
    let calls = FaultTable.recording {
      for _ in 0..<100 { #expect(!snapshot.holdLeftovers(of: place)) }
      #expect(snapshot.isAbsent(place))
      #expect(!snapshot.isAbsent(others[0]))
      #expect(others.map(snapshot.holdLeftovers) == [false, true, true])
    }
    // Two for each of the 31 targets before the directory was read.
    #expect(calls.count { $0.call == .fstatat } == 62)
  }

  @Test func `does not claim that a target is absent before it has read the directory`() throws {
    let scratch = try Scratch()
    let snapshot = DirectorySnapshot()
    let place = try scratch.place("new")
    #expect(!snapshot.isAbsent(place))
    for _ in 0..<40 { _ = snapshot.isAbsent(place) }
    #expect(snapshot.isAbsent(place))
    // Another directory has a listing of its own.
    let other = try scratch.directory.resolve([Array("d".utf8), Array("new".utf8)])
    #expect(!snapshot.isAbsent(other))
  }
}

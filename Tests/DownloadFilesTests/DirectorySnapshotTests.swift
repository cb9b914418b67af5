import Foundation
import TestSupport
import Testing

@testable import DownloadCore
@testable import DownloadFiles

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
      for _ in 0..<100 { #expect(!snapshot.hasLeftovers(of: place, now: .zero)) }
      #expect(snapshot.isAbsent(place, now: .zero))
      #expect(!snapshot.isAbsent(others[0], now: .zero))
      #expect(others.map { snapshot.hasLeftovers(of: $0, now: .zero) } == [false, true, true])
    }
    // Two for each of the 31 targets before the directory was read, and whether a name has another case, too.
    #expect(calls.count { $0.call == .fstatat } == 63)
  }

  @Test func `does not claim that a target is absent before it has read the directory`() throws {
    let scratch = try Scratch()
    let snapshot = DirectorySnapshot()
    let place = try scratch.place("new")
    #expect(!snapshot.isAbsent(place, now: .zero))
    for _ in 0..<40 { _ = snapshot.isAbsent(place, now: .zero) }
    #expect(snapshot.isAbsent(place, now: .zero))
    // Another directory is another listing.
    let other = try scratch.directory.resolve([Array("d".utf8), Array("new".utf8)])
    #expect(!snapshot.isAbsent(other, now: .zero))
  }

  @Test func `asks for names that the file system may spell otherwise`() throws {
    let scratch = try Scratch()
    let snapshot = DirectorySnapshot()
    let places = try ["new", "\u{e9}"].map { try scratch.place($0) }
    for _ in 0..<32 { _ = snapshot.isAbsent(places[0], now: .zero) }
    #expect(places.map { snapshot.isAbsent($0, now: .zero) } == [true, false])
    try scratch.write("\u{e9}.swiftget", [1])
    #expect(snapshot.hasLeftovers(of: places[1], now: .zero))
  }

  @Test func `believes no listing where a name is there in either case`() throws {
    let scratch = try Scratch()
    try scratch.write("Old", [1])
    // As on a file system that ignores case.
    #expect(link(scratch.path + "/Old", scratch.path + "/oLD") == 0)
    let snapshot = DirectorySnapshot()
    let place = try scratch.place("new")
    for _ in 0..<40 { #expect(!snapshot.isAbsent(place, now: .zero)) }
    try scratch.write("new.swiftget", [1])
    #expect(snapshot.hasLeftovers(of: place, now: .zero))
  }

  @Test func `reads the directory again when the listing is old`() throws {
    let scratch = try Scratch()
    let snapshot = DirectorySnapshot()
    let place = try scratch.place("new")
    for _ in 0..<32 { _ = snapshot.isAbsent(place, now: .zero) }
    try scratch.write("new", [1])
    try scratch.write("new.swiftget", [1])
    #expect(snapshot.isAbsent(place, now: .zero + .seconds(9)))
    #expect(!snapshot.isAbsent(place, now: .zero + .seconds(11)))
    #expect(snapshot.hasLeftovers(of: place, now: .zero + .seconds(12)))
  }
}

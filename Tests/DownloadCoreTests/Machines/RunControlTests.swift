import TestSupport
import Testing

@testable import DownloadCore

@Suite struct `What commands decided` {
  @Test func `is the latest word about the item, its group or the run`() {
    var random = SeededGenerator(seed: 5)
    for _ in 0..<300 {
      var control = RunControl()
      var commands: [(RunCommand.Selection, RunCommand.Change)] = []
      for _ in 0..<12 {
        let selection: RunCommand.Selection =
          [.run, .group(0), .group(1), .item(0), .item(1), .item(2), .item(3)].randomElement(using: &random)!
        let change: RunCommand.Change =
          [.pause, .resume, .prioritize(3), .prioritize(-3), .moveToFront].randomElement(using: &random)!
        commands.append((selection, change))
        control.decide(selection, change)
        for item in 0..<4 {
          let mine = commands.filter { $0.0.includes(item, of: item % 2) }.map(\.1)
          let isHeld = mine.last { $0 == .pause || $0 == .resume } == .pause
          #expect(control.verdict(on: item, of: item % 2) == (isHeld ? .hold : .proceed))
          let priority = mine.compactMap { if case .prioritize(let value) = $0 { value } else { nil } }.last
          #expect(control.priority(of: item, in: item % 2) == priority)
        }
        // An item that nothing names follows the run, unless its group is named.
        if control.holdsEverything { #expect(control.verdict(on: 99, of: 99) == .hold) }
      }
    }
  }

  @Test func `holds everything only while nothing was resumed since`() {
    var control = RunControl()
    #expect(!control.holdsEverything)
    control.decide(.item(1), .resume)
    control.decide(.run, .pause)
    #expect(control.holdsEverything)
    control.decide(.group(2), .resume)
    #expect(!control.holdsEverything)
    control.decide(.run, .resume)
    #expect(!control.holdsEverything)
  }

  @Test func `withdraws what comes later, but not what is added later`() {
    var control = RunControl()
    control.decide(.group(1), .cancel)
    control.added(7)
    #expect(control.verdict(on: 6, of: 1) == .withdraw(.cancelled))
    #expect(control.verdict(on: 7, of: 1) == .proceed)
    control.decide(.item(7), .remove)
    control.decide(.item(7), .resume)
    #expect(control.verdict(on: 7, of: 1) == .withdraw(.removed), "a withdrawal is final")
    #expect(control.verdict(on: 6, of: 0) == .proceed)
  }

  @Test func `about an item that has ended is forgotten`() {
    var control = RunControl()
    control.decide(.item(1), .pause)
    control.decide(.item(1), .prioritize(2))
    control.forget(1)
    #expect(control.verdict(on: 1, of: 0) == .proceed && control.priority(of: 1, in: 0) == nil)
  }
}

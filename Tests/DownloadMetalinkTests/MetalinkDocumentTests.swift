import Testing

@testable import DownloadCore
@testable import DownloadMetalink

/// The document's events, without XML.
@Suite struct `Metalink document` {
  private enum Event {
    case start(MetalinkElement?, MetalinkAttributes = [:], MetalinkName.Namespace = .version4)
    case text(String)
    case end
  }

  /// Lines are counted by events.
  private func findings(_ events: [Event]) -> [MetalinkDocument.Finding] {
    var document = MetalinkDocument(MetalinkPreferences())
    return events.enumerated().compactMap { line, event in
      switch event {
      case .start(let element, let attributes, let namespace):
        return document.started(MetalinkName(element, in: namespace), attributes, line: line)
      case .text(let text):
        Array(text.utf8).withUnsafeBytes { document.took($0) }
        return nil
      case .end: return document.ended(line: line)
      }
    }
  }

  private func text(_ element: MetalinkElement, _ text: String, _ attributes: MetalinkAttributes = [:]) -> [Event] {
    [.start(element, attributes), .text(text), .end]
  }

  private func file(_ events: [Event], name: String = "f") -> [Event] {
    [.start(.file, [.name: name])] + text(.url, "http://h/f") + events + [.end]
  }

  private func entry(line: Int, _ change: (inout ListEntry) -> Void = { _ in }) -> MetalinkDocument.Finding {
    var entry = ListEntry(lineNumber: line)
    entry.out = Array("f".utf8)
    entry.urls = [Array("http://h/f".utf8)]
    change(&entry)
    return .entry(entry)
  }

  @Test func `a file is found at its end`() {
    #expect(findings([.start(.metalink)] + file(text(.size, "7")) + [.end]) == [entry(line: 1) { $0.size = 7 }])
    #expect(findings([.start(.metalink)] + file([]).dropLast()) == [])
  }

  @Test func `texts arrive in any number of parts`() {
    let events: [Event] = [.start(.size), .text(" 1"), .text(""), .text("2"), .text("3\n"), .end]
    #expect(findings([.start(.metalink)] + file(events)) == [entry(line: 1) { $0.size = 123 }])
  }

  @Test func `an element in another place means nothing`() {
    let stray: [[Event]] = [
      text(.size, "x"), text(.url, "http://h/g"), text(.hash, "x", [.type: "md5"]), text(.origin, "x"),
      [.start(.pieces), .end], [.start(nil)] + text(.size, "x") + [.end], [.start(.files)] + file([]) + [.end],
    ]
    for events in stray {
      #expect(findings([.start(.metalink)] + events + file([])) == [entry(line: 1 + events.count)], "\(events)")
    }
    let inside: [[Event]] = [
      [.start(nil)] + text(.size, "x") + [.end], [.start(.resources)] + text(.url, "http://h/g") + [.end],
      [.start(.verification)] + text(.hash, "x", [.type: "md5"]) + [.end], file([]),
      [.start(.size, [:], .version3), .text("x"), .end], [.start(.size, [:], .other), .text("x"), .end],
      [.start(.size, [:], .none), .text("x"), .end],
    ]
    for events in inside {
      #expect(findings([.start(.metalink)] + file(events)) == [entry(line: 1)], "\(events)")
    }
  }

  @Test func `a digest of an unknown algorithm is remembered as such`() {
    for events in [
      [.start(.pieces, [.type: "tiger", .length: "1"]), .start(.hash), .text("x"), .end, .end],
      text(.hash, "x", [.type: "whirlpool"]),
    ] {
      let expected = entry(line: 1) { $0.hasUnknownDigest = true }
      #expect(findings([.start(.metalink)] + file(events)) == [expected], "\(events)")
    }
  }

  @Test func `an element within a text makes the file invalid`() {
    for element in [nil, MetalinkElement.size] {
      let events: [Event] = [.start(.url), .text("http://h/"), .start(element), .text("x"), .end, .text("g"), .end]
      let found = findings([.start(.metalink)] + file(events) + file([]))
      #expect(found == [.invalid(ListError(lineNumber: 7, .metalink(.elementInText))), entry(line: 13)])
    }
    // The origin is only told.
    let origin: [Event] = [.start(.origin), .start(nil), .end, .end]
    #expect(findings([.start(.metalink)] + origin + file([])) == [entry(line: 5)])
  }

  @Test func `the rest of an invalid file is passed over`() {
    let events = text(.size, "x") + text(.size, "y") + [.start(.file, [:]), .end, .start(.pieces), .end]
    let found = findings([.start(.metalink)] + file(events) + file([]) + [.end])
    #expect(
      found == [.invalid(ListError(lineNumber: 5, .metalink(.malformedSize(Array("x".utf8))))), entry(line: 16)])
  }

  @Test func `a text or attribute of more than 64 KiB is an error where it is read`() {
    let most = String(repeating: " ", count: (64 << 10) - 1) + "7"
    #expect(findings([.start(.metalink)] + file(text(.size, most))) == [entry(line: 1) { $0.size = 7 }])
    let error = MetalinkDocument.Finding.invalid(ListError(lineNumber: 5, .metalink(.textTooLong)))
    #expect(findings([.start(.metalink)] + file(text(.size, most + " "))) == [error])
    #expect(findings([.start(.metalink)] + file([.start(.url, [.location: most + " "]), .end])) == [error])
    #expect(findings([.start(.metalink)] + file(text(.origin, most + most))) == [entry(line: 1)])
  }

  @Test func `the numbers of URLs and pieces are limited`() {
    let urls = (1..<MetalinkFile.maximumURLCount).flatMap { text(.url, "http://h/\($0)") }
    #expect(findings([.start(.metalink)] + file(urls)).map { if case .entry = $0 { true } else { false } } == [true])
    let found = findings([.start(.metalink)] + file(urls + text(.url, "http://h/x")) + file([]))
    guard found.count == 2, case .invalid(let error) = found[0] else {
      Issue.record("\(found.count) findings")
      return
    }
    #expect(error.problem == .metalink(.tooManyURLs))

    var pieces = MetalinkPieces(algorithm: .md5, length: 1, maximumCount: 3)
    let digits = Array(md5.utf8)[...]
    #expect(throws: Never.self) {
      for _ in 0..<3 { try pieces.add(digits, number: nil) }
    }
    #expect(throws: ListProblem.metalink(.tooManyPieces)) { try pieces.add(digits, number: nil) }
  }

  @Test func `no order of events traps`() {
    for events: [Event] in [
      [.end], [.text("x")], [.start(.metalink), .end, .end], [.start(.metalink), .end, .start(.file)],
    ] {
      _ = findings(events + [.end, .text("x"), .start(nil), .end])
    }
  }

  @Test func `names are found by namespace and local name`() {
    func name(_ text: String) -> MetalinkName { Array(text.utf8).withUnsafeBytes { MetalinkName(expanded: $0) } }
    for element in MetalinkElement.allCases {
      #expect(name("\(ReadMetalink.version4) \(element.rawValue)") == MetalinkName(element, in: .version4))
      #expect(name("\(ReadMetalink.version3) \(element.rawValue)") == MetalinkName(element, in: .version3))
      #expect(name(element.rawValue) == MetalinkName(element, in: .none))
      #expect(name("x \(element.rawValue)") == MetalinkName(nil, in: .other))
    }
    #expect(name("\(ReadMetalink.version4) urls") == MetalinkName(nil, in: .version4))
    #expect(name("") == MetalinkName(nil, in: .none) && name(" ") == MetalinkName(nil, in: .other))
  }
}

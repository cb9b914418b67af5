import TestSupport
import Testing

@testable import DownloadCore

@Suite struct `Names in bags` {
  private func path(_ text: String, _ area: BagPath.Area = .payload) throws(ListProblem) -> BagPath {
    try BagPath(Array(text.utf8)[...], in: area)
  }

  private func problem(_ text: String, _ area: BagPath.Area = .payload) -> BagProblem? {
    do throws(ListProblem) {
      _ = try path(text, area)
      return nil
    } catch {
      if case .bag(let problem) = error { return problem }
      return nil
    }
  }

  @Test(arguments: [
    ("data/a", "data/a", "data/a"), ("data/a b ", "data/a b ", "data/a b "), ("./data//a/./b", "data/a/b", "data/a/b"),
    ("data/a%0Ab%0dc", "data/a\nb\rc", "data/a\nb\rc"), ("data/%25", "data/%25", "data/%"),
    ("data/%250A", "data/%250A", "data/%0A"), ("data/%2525", "data/%2525", "data/%25"),
    ("data/日本", "data/日本", "data/日本"), ("data/~x/~", "data/~x/~", "data/~x/~"),
    ("data/\\..\\x", "data/\\..\\x", "data/\\..\\x"),
    ("data/a\tb", "data/a\tb", "data/a\tb"), ("data/data/", "", ""),
  ])
  func `encode line breaks and percent signs`(text: String, key: String, decoded: String) throws {
    guard !key.isEmpty else { return #expect(problem(text) != nil) }
    let path = try path(text)
    #expect(String(path.key) == key && !path.hasBarePercent)
    #expect(String(BagPath.decodingPercents(path.key)) == decoded)
    #expect(BagPath.encodingPercents(BagPath.decodingPercents(path.key)) == path.key)
  }

  @Test(arguments: ["data/50%", "data/%7E", "data/%2", "data/%a", "data/%A", "data/%0", "data/%00", "data/%%0A"])
  func `may have percent signs that stand for themselves`(text: String) throws {
    let path = try path(text)
    #expect(path.hasBarePercent && path.key == Array(text.replacing("%0A", with: "\n").utf8))
  }

  @Test func `stay in their part of the bag`() throws {
    #expect(problem("bag-info.txt") == .outsidePayload(Array("bag-info.txt".utf8)))
    #expect(problem("data") == .outsidePayload(Array("data".utf8)))
    #expect(problem("datax/y") == .outsidePayload(Array("datax/y".utf8)))
    #expect(problem("DATA/y") == .outsidePayload(Array("DATA/y".utf8)))
    #expect(problem("./data/y", .tags) == .insidePayload(Array("data/y".utf8)))
    #expect(try path("data", .tags).key == Array("data".utf8))
    #expect(try path("metadata/x.xml", .tags).key == Array("metadata/x.xml".utf8))
  }

  @Test(arguments: BagPath.Area.allCases)
  func `never lead out of the bag`(area: BagPath.Area) {
    let refused: [(String, TargetNameError)] = [
      ("/data/a", .absolute), ("../data/a", .leavesDirectory), ("data/../../a", .leavesDirectory),
      ("data/..", .leavesDirectory), ("data/a/", .isDirectory), ("data/x.swiftget-part", .reservedSuffix),
      ("data/" + String(repeating: "x", count: 256), .tooLong), ("https://h/x", .isURL),
    ]
    for (name, error) in refused {
      #expect(problem(name, area) == .invalidName(Array(name.utf8), error), "\(name)")
    }
    for name in ["~/x", "~root/x"] { #expect(problem(name, area) == .homeDirectory(Array(name.utf8))) }
    for name in ["C:\\x", "%HomeDrive%\\x", "\\\\?\\UNC\\x"] where area == .payload {
      #expect(problem(name, area) == .outsidePayload(Array(name.utf8)))
    }
  }

  @Test func `are UTF-8, without carriage returns`() {
    #expect(throws: ListProblem.bag(.notUTF8)) { try BagPath(Array("data/".utf8) + [0xff], in: .payload) }
    #expect(problem("data/a\rb") == .bareCarriageReturn)
  }

  @Test func `of random bytes are inside the bag, and encoding is the inverse of decoding`() {
    let isFruitful = Fuzz.run { generator, seed in
      let sample = Array(["data/a%25b/%0Ac", "./data/./x//%0d", "meta/%7E"].randomElement(using: &generator)!.utf8)
      let bytes = generator.mutate(sample, alphabet: Array("%0AaDd25./~\\\r\n\t".utf8))
      let area = BagPath.Area.allCases.randomElement(using: &generator)!
      guard !bytes.contains(0), let path = try? BagPath(bytes[...], in: area) else { return false }
      let components = path.key.split(separator: 0x2f, omittingEmptySubsequences: false)
      #expect(!components.contains { $0.isEmpty || $0 == [0x2e] || $0 == [0x2e, 0x2e] }, "seed \(seed)")
      #expect((components.count > 1 && components[0].elementsEqual("data".utf8)) == (area == .payload), "seed \(seed)")
      let decoded = BagPath.decodingPercents(path.key)
      if !path.hasBarePercent { #expect(BagPath.encodingPercents(decoded) == path.key, "seed \(seed)") }
      #expect(BagPath.decodingPercents(BagPath.encodingPercents(bytes)) == bytes, "seed \(seed)")
      return true
    }
    #expect(isFruitful)
  }
}

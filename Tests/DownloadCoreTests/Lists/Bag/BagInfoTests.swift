import TestSupport
import Testing

@testable import DownloadCore

@Suite struct `bag-info.txt of bags` {
  private func parsed(_ text: String) -> ParsedBagFile<BagInfoParser> { ParsedBagFile(text, BagInfoParser()) }

  @Test func `tells the length and the number of payload files`() {
    let file = parsed("Source-Organization: x\n  and: more\nPayload-Oxum: 279164409832.1198\nContact-Name : Edna\n")
    #expect(file.errors == [] && file.elements.map(\.lineNumber) == [3])
    #expect(file.elements.map(\.oxum) == [PayloadOxum(byteCount: 279_164_409_832, fileCount: 1198)])
    #expect(file.elements[0].oxum.text == "279164409832.1198")
    #expect(parsed("PAYLOAD-oxum :  1.2\r\n").elements.map(\.oxum.text) == ["1.2"])
    #expect(parsed("Payload-Oxum:\n  12\n\t.3\n\n").elements.map(\.oxum.text) == ["12.3"])
    #expect(parsed("Payload-Oxum: 1.1\nPayload-Oxum: 2.2").elements.map(\.oxum.text) == ["1.1", "2.2"])
    #expect(parsed("").elements.isEmpty && parsed("\n\n").errors.isEmpty)
  }

  @Test func `with other lines is refused`() {
    let file = parsed("no tag\nPayload-Oxum: 5\nPayload-Oxum: 1.2.3\n : x\nPayload-Oxum: 9223372036854775808.1\nX: y\n")
    #expect(file.elements.isEmpty && file.errors.map(\.lineNumber) == [1, 2, 3, 5])
    #expect(file.problems == [.bag(.notTagLine), .bag(.malformedOxum), .bag(.malformedOxum), .bag(.malformedOxum)])
    #expect(parsed("Payload-Oxum: 1.\n").problems == [.bag(.malformedOxum)])
    #expect(parsed("  continued\n").problems == [.bag(.notTagLine)])
  }

  @Test func `of random bytes traps nowhere`() {
    let sample = Array("A: b\n  c\nPayload-Oxum: 12.3\r\n\nD : e\n".utf8)
    let isFruitful = Fuzz.run { generator, seed in
      let bytes = generator.mutate(sample, alphabet: Array("\t\n\r :.P09\0".utf8))
      let file = ParsedBagFile(bytes, BagInfoParser())
      let parts = ParsedBagFile(bytes, BagInfoParser(), partSize: Int.random(in: 1...40, using: &generator))
      #expect(parts.elements == file.elements && parts.errors == file.errors, "seed \(seed)")
      #expect(file.elements.allSatisfy { $0.oxum.byteCount >= 0 && $0.oxum.fileCount >= 0 }, "seed \(seed)")
      return !file.elements.isEmpty
    }
    #expect(isFruitful)
  }
}

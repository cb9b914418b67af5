import TestSupport
import Testing

@testable import DownloadCore

@Suite struct `Declarations of bags` {
  private func problem(_ text: String) -> ListError? {
    do throws(ListError) {
      _ = try BagDeclaration(text.utf8)
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: BagDeclaration.Version.allCases)
  func `state a version and UTF-8`(version: BagDeclaration.Version) throws {
    let text = "BagIt-Version: \(version.rawValue)\nTag-File-Character-Encoding: UTF-8\n"
    for form in [text, text.replacing("\n", with: "\r\n"), text.replacing("\n", with: "\r"), String(text.dropLast())] {
      #expect(try BagDeclaration(form.utf8).version == version, "\(form)")
    }
    #expect(try BagDeclaration(text.replacing("UTF-8", with: "utf-8").utf8).version == version)
  }

  @Test func `of earlier drafts have more forms than those of version 1`() throws {
    let forms = [
      "BagIt-Version : N.N\nTag-File-Character-Encoding: UTF-8\n",
      "BagIt-Version:N.N\nTag-File-Character-Encoding: UTF-8\n",
      "Tag-File-Character-Encoding: UTF-8\nBagIt-Version: N.N\n",
      "BagIt-Version: N.N\nTag-File-Character-Encoding: UTF-8\nX-Other: y\n",
    ]
    for form in forms {
      #expect(problem(form.replacing("N.N", with: "0.97")) == nil, "\(form)")
      #expect(problem(form.replacing("N.N", with: "1.0"))?.problem == .bag(.malformedDeclaration), "\(form)")
    }
    #expect(problem("BagIt-Version: 1.0 \nTag-File-Character-Encoding: UTF-8 \n\n") == nil)
  }

  @Test(arguments: [
    ("", 1, BagProblem.malformedDeclaration), ("BagIt-Version: 1.0\n", 1, .malformedDeclaration),
    ("Tag-File-Character-Encoding: UTF-8\n", 1, .malformedDeclaration),
    ("BagIt-Version: 1.0\nno tag\n", 2, .malformedDeclaration), (": x\n", 1, .malformedDeclaration),
    ("\u{feff}BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n", 1, .byteOrderMark),
    ("BagIt-Version: .97\nTag-File-Character-Encoding: UTF-8\n", 1, .unknownVersion(Array(".97".utf8))),
    ("BagIt-Version: 2.0\nTag-File-Character-Encoding: UTF-8\n", 1, .unknownVersion(Array("2.0".utf8))),
    ("BagIt-Version: 1.00\nTag-File-Character-Encoding: UTF-8\n", 1, .unknownVersion(Array("1.00".utf8))),
    ("BagIt-Version: 0.97\nTag-File-Character-Encoding: UTF-16\n", 2, .unsupportedEncoding(Array("UTF-16".utf8))),
    ("bagit-version: 1.0\ntag-file-character-encoding: UTF-8\n", 2, .malformedDeclaration),
  ])
  func `of other forms are refused`(text: String, line: Int, problem expected: BagProblem) {
    #expect(problem(text) == ListError(lineNumber: line, .bag(expected)))
  }

  @Test func `are short`() {
    let text = "BagIt-Version: 0.97\nTag-File-Character-Encoding: UTF-8\n"
    #expect(problem(text + String(repeating: "\n", count: BagDeclaration.maximumByteCount)) != nil)
  }

  @Test func `of random bytes trap nowhere`() {
    let sample = Array("BagIt-Version: 1.0\r\nTag-File-Character-Encoding: UTF-8\n".utf8)
    let isFruitful = Fuzz.run { generator, seed in
      let bytes = generator.mutate(sample, alphabet: Array("\r\n :.019BT\t".utf8))
      guard let declaration = try? BagDeclaration(bytes) else { return false }
      #expect(bytes.contains(declaration.version.rawValue.utf8), "seed \(seed)")
      return true
    }
    #expect(isFruitful)
  }
}

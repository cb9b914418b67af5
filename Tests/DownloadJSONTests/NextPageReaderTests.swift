import DownloadCore
import TestSupport
import Testing

@testable import DownloadJSON

@Suite struct `The next page of a document` {
  private func reference(_ text: String, partSize: Int = .max) -> String? {
    var reader = NextPageReader()
    var rest = Array(text.utf8)[...]
    // As blocks of files come, the first part has what may be a byte order mark.
    var size = max(partSize, 3)
    while !rest.isEmpty {
      rest.prefix(size).withUnsafeBytes { reader.append($0) }
      rest = rest.dropFirst(size)
      size = partSize
    }
    return reader.reference.map { String(decoding: $0, as: UTF8.self) }
  }

  @Test(
    arguments: [
      (#"{"items":[{"next":"/no"}],"next":"/2"}"#, "/2"), (#"{"next":{"href":"?p=2"}}"#, "?p=2"),
      (#"{"links":[{"rel":"self","href":"/1"},{"rel":"next","href":"/2"}],"items":[]}"#, "/2"),
      (#"{"_links":{"next":{"href":"https://h/2"}}}"#, "https://h/2"), (#"{"nextLink":"/2"}"#, "/2"),
      ("\u{feff}{\"@odata.nextLink\":\"/2\"}", "/2"), (#"{"next":"/2","next":"/3"}"#, "/2"), (#"{"next":"/2""#, nil),
      (#"{"next":null}"#, nil), (#"{"next":"soon"}"#, nil), (#"{"x":{"next":"/2"}}"#, nil), (#"[{"next":"/2"}]"#, nil),
      (#"{"next":}"#, nil), ("", nil),
    ] as [(String, String?)])
  func `is a member of the document, whatever the parts of its text`(text: String, expected: String?) {
    for partSize in [1, 2, 5, Int.max] { #expect(reference(text, partSize: partSize) == expected) }
  }

  @Test func `is found beside members of any length`() {
    let long = String(repeating: "x", count: 200_000)
    #expect(reference("{\"a\":\"\(long)\",\"items\":[\"\(long)\"],\"next\":\"/2\"}", partSize: 4096) == "/2")
  }

  @Test func `of random text makes no difference to its parts`() {
    let isFruitful = Fuzz.run { generator, seed in
      let sample = Array(#"{"items":[{"u":"a"}],"links":{"next":"/2"},"next":"?x"}"#.utf8)
      let text = String(decoding: generator.mutate(sample, alphabet: Array("{}[]\",:/nx".utf8)), as: UTF8.self)
      let whole = reference(text)
      #expect(reference(text, partSize: Int.random(in: 1...9, using: &generator)) == whole, "seed \(seed)")
      return whole != nil
    }
    #expect(isFruitful)
  }
}

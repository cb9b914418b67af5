import Testing

@testable import DownloadCore

/// All entries and errors of a list, for a caller that continues after errors.
struct ReadList: Equatable {
  var entries: [ListEntry] = []
  var errors: [ListError] = []

  init(
    _ text: String, _ format: ListFormat = .urlList, defaultAlgorithm: DigestAlgorithm? = nil, partSize: Int = .max
  ) {
    self.init(bytes: Array(text.utf8), format, defaultAlgorithm: defaultAlgorithm, partSize: partSize)
  }

  /// - Parameter partSize: the number of bytes that are appended at once.
  init(
    bytes: [UInt8], _ format: ListFormat, defaultAlgorithm: DigestAlgorithm? = nil, partSize: Int = .max
  ) {
    var reader = LineListParser(format: format, defaultAlgorithm: defaultAlgorithm)
    var rest = bytes[...]
    while !rest.isEmpty {
      rest.prefix(partSize).withUnsafeBytes { reader.append($0) }
      rest = rest.dropFirst(partSize)
      readAll(&reader)
    }
    reader.end()
    readAll(&reader)
  }

  private mutating func readAll(_ reader: inout LineListParser) {
    while true {
      do throws(ListError) {
        guard let entry = try reader.next() else { return }
        entries.append(entry)
      } catch {
        errors.append(error)
      }
    }
  }

  var urls: [[String]] { entries.map { $0.urls.map { String(decoding: $0, as: UTF8.self) } } }
  var names: [String?] { entries.map { $0.name.map { String(decoding: $0, as: UTF8.self) } } }
  var digests: [[String]] { entries.map { $0.digests.map(\.text) } }
}

@Suite struct `List reader` {
  @Test func `byte order mark, line ends, blanks and comments are ignored`() {
    let list = ReadList("\u{feff}https://a/1\r\n\r\n# https://a/2\n \n  # x\nhttps://a/3  \nhttps://a/4")
    #expect(list.urls == [["https://a/1"], ["https://a/3"], ["https://a/4"]])
    #expect(list.entries.map(\.lineNumber) == [1, 6, 7])
    #expect(list.errors == [])
  }

  @Test func `an empty list has no entries`() {
    for format in LineListParser.formats {
      let list = ReadList("", format)
      #expect(list.entries == [] && list.errors == [])
    }
  }

  @Test(arguments: LineListParser.formats)
  func `a NUL byte is an error on its line`(format: ListFormat) {
    let list = ReadList("\nhttps://a/\0b\n", format)
    #expect(list.errors.map(\.lineNumber) == [2])
    #expect(list.errors.first?.problem == .nulByte)
    #expect(list.entries == [])
  }

  @Test func `options below an invalid line are those of no other entry`() {
    let list = ReadList("http://h/a\nhttp://h/\0\n out=x\nhttp://h/b\n")
    #expect(list.errors.map(\.problem) == [.nulByte])
    #expect(list.urls == [["http://h/a"], ["http://h/b"]] && list.entries.allSatisfy { $0.out == nil })
  }

  @Test func `UTF-16 is reported as such`() {
    let list = ReadList(bytes: [0xff, 0xfe, 0x68, 0x00, 0x0a, 0x00], .urlList)
    #expect(list.errors.first?.problem == .utf16)
  }

  @Test func `a line of more than 64 KiB is an error`() {
    let fits = "https://a/" + String(repeating: "b", count: 65_526)
    #expect(ReadList(fits).entries.count == 1)
    let list = ReadList(fits + "b\nhttps://a/c\n")
    #expect(list.errors.map(\.lineNumber) == [1])
    #expect(list.urls == [["https://a/c"]])
  }

  @Test(arguments: [1, 2, 3, 7, 64, 1000])
  func `it does not matter how many bytes arrive at once`(partSize: Int) {
    let long = "https://a/" + String(repeating: "b", count: 70_000)
    let urls = "\u{feff}https://a/1\r\n\n out=x\n\(long)\nhttps://a/2\thttps://b/2\n out=y\r\nrubbish\n\nhttps://a/3"
    #expect(ReadList(urls, partSize: partSize) == ReadList(urls))
    #expect(ReadList(urls).entries.count == 3 && ReadList(urls).errors.map(\.lineNumber) == [4, 7])
    let sums = "# x\n\(String(repeating: "0", count: 64))  a b\n\(String(repeating: "1", count: 64)) *c\n\nrubbish"
    #expect(ReadList(sums, .checksums, partSize: partSize) == ReadList(sums, .checksums))
    #expect(ReadList(sums, .checksums).names == ["a b", "c"])
  }
}

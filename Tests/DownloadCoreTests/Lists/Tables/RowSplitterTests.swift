import Testing

@testable import DownloadCore

@Suite struct `Rows of tables` {
  /// The rows with their lines, and the errors.
  struct Read: Equatable {
    var rows: [[String]] = []
    var lines: [Int] = []
    var errors: [ListError] = []

    init(_ bytes: [UInt8], separator: UInt8? = nil, partSize: Int = .max) {
      var splitter = RowSplitter(separator: separator)
      var rest = bytes[...]
      while !rest.isEmpty {
        rest.prefix(partSize).withUnsafeBytes { splitter.append($0) }
        rest = rest.dropFirst(partSize)
        readAll(&splitter)
      }
      splitter.end()
      readAll(&splitter)
    }

    private mutating func readAll(_ splitter: inout RowSplitter) {
      while true {
        do throws(ListProblem) {
          guard try splitter.next() else { return }
          rows.append((0..<splitter.count).map { String(decoding: splitter.field($0), as: UTF8.self) })
          lines.append(splitter.lineNumber)
        } catch {
          errors.append(ListError(lineNumber: splitter.lineNumber, error))
        }
      }
    }
  }

  private func read(_ text: String, separator: UInt8? = nil) -> Read {
    let read = Read(Array(text.utf8), separator: separator)
    for partSize in 1...4 {
      #expect(Read(Array(text.utf8), separator: separator, partSize: partSize) == read, "\(partSize)")
    }
    return read
  }

  @Test func `RFC 4180's examples`() {
    #expect(read("aaa,bbb,ccc\r\nzzz,yyy,xxx\r\n").rows == [["aaa", "bbb", "ccc"], ["zzz", "yyy", "xxx"]])
    #expect(read("aaa,bbb,ccc\r\nzzz,yyy,xxx").rows == [["aaa", "bbb", "ccc"], ["zzz", "yyy", "xxx"]])
    #expect(read("\"aaa\",\"bbb\",\"ccc\"\r\nzzz,yyy,xxx").rows == [["aaa", "bbb", "ccc"], ["zzz", "yyy", "xxx"]])
    #expect(
      read("\"aaa\",\"b\r\nbb\",\"ccc\"\r\nzzz,yyy,xxx").rows == [["aaa", "b\r\nbb", "ccc"], ["zzz", "yyy", "xxx"]])
    #expect(read("\"aaa\",\"b\"\"bb\",\"ccc\"").rows == [["aaa", "b\"bb", "ccc"]])
  }

  @Test func `byte order mark, line feeds only, and empty lines`() {
    let read = read("\u{feff}\r\n\na,b\n\n\"c\nd\",e\r\n\r\n\nf,\n\n\r\n")
    #expect(read.rows == [["a", "b"], ["c\nd", "e"], ["f", ""]])
    #expect(read.lines == [3, 5, 9] && read.errors == [])
  }

  @Test func `blanks separate words, and quotation marks hold them together`() {
    let read = read(" a  'b c'\t\"d'e\"  \r\n\n   \nx y\"z w\n1 '' 3", separator: RowSplitter.blanks)
    #expect(read.rows == [["a", "b c", "d'e"], ["x", "y\"z", "w"], ["1", "", "3"]])
    for (text, problem) in [
      ("a 'b\nc d\n", TableProblem.unfinishedQuote), ("a 'b'c\nc d\n", .textAfterQuote),
    ] {
      let read = self.read(text, separator: RowSplitter.blanks)
      #expect(read.rows == [["c", "d"]] && read.errors.map(\.problem) == [.table(problem)])
    }
    #expect(self.read("a b\nc\n", separator: RowSplitter.blanks).errors.count == 1)
  }

  @Test func `lines with two signs before the first row are comments`() {
    #expect(read("## a,b\n##c\n#x\ty\n##1\t2\n").rows == [["#x", "y"], ["##1", "2"]])
    #expect(
      read("#").rows == [["#"]] && read("##").rows == []
        && read("url\nhttps://h/a,b;c\n").rows == [["url"], ["https://h/a,b;c"]])
  }

  @Test func `the first row decides the separator, outside of quotation marks`() {
    #expect(read("a\tb,c\n1\t2").rows == [["a", "b,c"], ["1", "2"]])
    #expect(read("a;b;c,d\n1;2;3").rows == [["a", "b", "c,d"], ["1", "2", "3"]])
    #expect(read("a,b;c\n1,2").rows == [["a", "b;c"], ["1", "2"]])
    #expect(read("\"a\tb;;\",c\n1,2").rows == [["a\tb;;", "c"], ["1", "2"]])
    #expect(read("a,b\n", separator: 0x09).rows == [["a,b"]])
  }

  @Test func `quotation marks inside an unquoted field stand for themselves`() {
    #expect(read("a,b\n5\" disk,x\"\"y\"\n").rows == [["a", "b"], ["5\" disk", "x\"\"y\""]])
    #expect(read("a,b\n\"\",\"\"\"\"\n").rows == [["a", "b"], ["", "\""]])
  }

  @Test func `rows with more or fewer fields are errors with their line`() {
    let read = read("a,b\n1\n2,3\n4,5,6\n7,8\n")
    #expect(read.rows == [["a", "b"], ["2", "3"], ["7", "8"]])
    #expect(
      read.errors == [
        ListError(lineNumber: 2, .table(.fieldCount(found: 1, expected: 2))),
        ListError(lineNumber: 4, .table(.fieldCount(found: 3, expected: 2))),
      ])
  }

  @Test func `a stray quotation mark hides its own line only`() {
    let open = read("a,b\n1,\"2\n3,4\n5,6\n")
    #expect(open.rows == [["a", "b"], ["3", "4"], ["5", "6"]])
    #expect(open.errors == [ListError(lineNumber: 2, .table(.unfinishedQuote))])
    let paired = read("a,b\n1,\"2\n3,4\n5,\"6\n7,8\n")
    #expect(paired.rows == [["a", "b"], ["3", "4"], ["7", "8"]])
    #expect(
      paired.errors == [
        ListError(lineNumber: 2, .table(.textAfterQuote)), ListError(lineNumber: 4, .table(.unfinishedQuote)),
      ])
    let text = read("a,b\n\"1\"x,2\n3,4\n")
    #expect(text.rows == [["a", "b"], ["3", "4"]])
    #expect(text.errors == [ListError(lineNumber: 2, .table(.textAfterQuote))])
  }

  @Test func `a NUL byte refuses its row`() {
    let read = read("a,b\n1,\0\n\"\0\",2\n3,4\n")
    #expect(read.rows == [["a", "b"], ["3", "4"]])
    #expect(read.errors == [2, 3].map { ListError(lineNumber: $0, .nulByte) })
  }

  @Test(arguments: [Int.max, 7919, 64 << 10])
  func `fields of more than 64 KiB are errors, and so are rows of more than 1 MiB`(partSize: Int) {
    let long = String(repeating: "x", count: RowSplitter.maximumFieldByteCount)
    let fits = Read(Array("a,b\n\(long),1\n".utf8), partSize: partSize)
    #expect(fits.rows.count == 2 && fits.errors == [])
    let field = Read(Array("a,b\n\(long)x,1\n2,3\n\"\(long)\n\n\",1\n4,5\n".utf8), partSize: partSize)
    #expect(field.rows == [["a", "b"], ["2", "3"], ["4", "5"]])
    #expect(field.errors.prefix(2).map(\.problem) == [.table(.fieldTooLong), .table(.fieldTooLong)])
    let wide = String(repeating: "\(long.dropLast()),", count: 17)
    let row = Read(Array("a,b\n\(wide)\n2,3\n".utf8), partSize: partSize)
    #expect(row.rows == [["a", "b"], ["2", "3"]])
    #expect(row.errors == [ListError(lineNumber: 2, .table(.rowTooLong))])
    let header = Read(Array("\(wide)\n".utf8), partSize: partSize)
    #expect(header.errors == [ListError(lineNumber: 1, .table(.rowTooLong))])
  }
}

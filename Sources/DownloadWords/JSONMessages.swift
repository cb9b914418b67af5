internal import DownloadCore

/// What a person reads of an invalid JSON list.
enum JSONMessages {
  static func message(_ problem: JSONProblem) -> String {
    switch problem {
    case .syntax(let syntax): message(syntax)
    case .valueTooLong(let limit): "an entry or value is longer than \(limit >> 20) MiB"
    case .lineTooLong(let limit): "the line is longer than \(limit >> 20) MiB"
    case .wrongType(let key, let expected):
      key.map { "\(Quotation.text($0)) is not \(expected.rawValue)" } ?? "an entry is not \(expected.rawValue)"
    case .unknownKey(let key): "unknown key \(Quotation.text(key))"
    case .missingKey(let key): "\(Quotation.text(key)) is missing"
    case .emptyValue(let key): "\(Quotation.text(key)) is empty"
    case .unknownVersion: "the version of the list is not 1"
    case .notSize(let key): "\(Quotation.text(key)) is not a whole number of bytes"
    case .pieceCount(let found, let size):
      "\(found == 1 ? "1 hash of a piece does" : "\(found) hashes of pieces do") not fit a size of \(size) bytes"
    case .malformedHeader: "a header has an invalid name or a control character"
    case .unknownDocument: "the JSON document is not a list of files"
    case .noRecords: "the paths of the columns do not lead to one array of objects"
    case .pathOutsideRecords(let path, let key):
      "the path \(Quotation.text(path)) leads through an array that is not in \(Quotation.text(key)) as the records are"
    case .severalValues(let path): "a record has several values of \(Quotation.text(path))"
    case .noAlgorithm(let path): "a checksum has no algorithm in \(Quotation.text(path))"
    case .noKeys: "no path leads through keys, of which {key} is one"
    case .nextPage: "the list continues at another URL, which would be left out"
    case .foreignPage: "the next page of the list is on another server"
    case .repeatedPage: "the next page of the list is one that was read"
    case .manyPages(let limit): "the list has more than \(limit) pages"
    case .unknownPath(let path): "no record has \(Quotation.text(path))"
    case .numberedColumn(let number): "column \(number) is a number, but JSON has paths"
    case .resourceInParts: "a resource consists of several parts"
    }
  }

  private static func message(_ syntax: JSONProblem.Syntax) -> String {
    switch syntax {
    case .invalid: "the text is not valid JSON"
    case .incomplete: "the JSON text ends inside a value"
    case .textAfterValue: "text follows the JSON value"
    case .invalidUTF8: "the JSON text is not UTF-8"
    case .nulCharacter: "the JSON text contains a NUL character"
    case .duplicateKey: "one object has a key twice"
    case .manyKeys: "the object of the list has too many keys"
    case .numberTooLarge: "a number is too large; sizes are below 2^63"
    case .tooDeep: "the JSON text is nested too deeply"
    }
  }

  static func hint(_ problem: JSONProblem) -> Phrase? {
    switch problem {
    case .valueTooLong: "is this a list, with an array of files?"
    case .unknownKey: "keys of your own begin with x-; for other JSON see \(.columns)"
    case .unknownDocument, .noRecords:
      "for JSON of any form give paths such as \(.columns, "url=files.url,sha256=files.sha256")"
    case .pathOutsideRecords: "name values of the record, or of objects around it"
    case .severalValues: "several are allowed for URLs, mirrors and checksums, but not for names and sizes"
    case .noAlgorithm: "algorithm=PATH leads to the name beside the checksum, in the same object"
    case .noKeys: "name one with *, such as sha256=packages.*.sha256"
    case .nextPage:
      "ask the server for all entries at once, or save each page without its link to the next one, and give all with \(.inputFile)"
    case .foreignPage: "save the pages, and give all with \(.inputFile) if you trust that server"
    case .repeatedPage: "its server is at fault; save the pages, and give all with \(.inputFile)"
    case .manyPages: "ask the server for more entries on each page"
    case .unknownPath: "check the paths of \(.columns); keys are separated by dots, and case matters"
    case .numberedColumn: "such as \(.columns, "url=download.url")"
    case .unknownVersion: "a list begins with {\"version\": 1, \"files\": […]}"
    case .resourceInParts: "download the parts with a list of their URLs, and join them"
    case .notSize: "from 0 to 9223372036854775807, without fraction or exponent"
    case .syntax(.textAfterValue): "for several objects, one per line, use \(.inputFormat, "jsonl")"
    case .syntax(.incomplete): "check that the list is complete"
    case .syntax, .lineTooLong, .wrongType, .missingKey, .emptyValue, .pieceCount, .malformedHeader: nil
    }
  }
}

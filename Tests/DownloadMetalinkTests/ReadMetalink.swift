@testable import DownloadCore
@testable import DownloadMetalink

/// All entries and errors of a document, for a caller that continues after errors.
struct ReadMetalink: Equatable {
  var entries: [ListEntry] = []
  var errors: [ListError] = []
  var origin = MetalinkOrigin()

  init(_ text: String, _ preferences: MetalinkPreferences = MetalinkPreferences(), partSize: Int = .max) {
    self.init(bytes: Array(text.utf8), preferences, partSize: partSize)
  }

  /// - Parameter partSize: the number of bytes that are appended at once.
  init(bytes: [UInt8], _ preferences: MetalinkPreferences = MetalinkPreferences(), partSize: Int = .max) {
    var parser = MetalinkParser(preferences)
    var rest = bytes[...]
    while !rest.isEmpty {
      rest.prefix(partSize).withUnsafeBytes { parser.append($0) }
      rest = rest.dropFirst(partSize)
      readAll(&parser)
    }
    parser.end()
    readAll(&parser)
    origin = parser.origin
  }

  /// One version 4 document with these elements.
  init(body: String, _ preferences: MetalinkPreferences = MetalinkPreferences()) {
    self.init("<metalink xmlns=\"\(Self.version4)\">\(body)</metalink>", preferences)
  }

  /// One file of a version 4 document with these elements besides a URL.
  init(file: String, _ preferences: MetalinkPreferences = MetalinkPreferences()) {
    self.init(body: "<file name=\"f\"><url>http://h/f</url>\(file)</file>", preferences)
  }

  static let version4 = "urn:ietf:params:xml:ns:metalink"
  static let version3 = "http://www.metalinker.org/"

  private mutating func readAll(_ parser: inout MetalinkParser) {
    while true {
      do throws(ListError) {
        guard let entry = try parser.next() else { return }
        entries.append(entry)
      } catch {
        errors.append(error)
      }
    }
  }

  var names: [String] { entries.map { String(decoding: $0.out ?? [], as: UTF8.self) } }
  var urls: [[String]] { entries.map { $0.urls.map { String(decoding: $0, as: UTF8.self) } } }
  var problems: [ListProblem] { errors.map(\.problem) }
}

let sha1 = String(repeating: "0123456789", count: 4)
let sha256 = String(repeating: "0123456789abcdef", count: 4)
let md5 = String(repeating: "0123456789abcdef", count: 2)

@testable import DownloadCore

/// What a parser of a bag's file makes of a text.
struct ParsedBagFile<Parser: IncrementalParser> {
  var elements: [Parser.Element] = []
  var errors: [ListError] = []

  init(_ bytes: [UInt8], _ parser: Parser, partSize: Int = .max) {
    var parser = parser
    var rest = bytes[...]
    while !rest.isEmpty {
      rest.prefix(partSize).withUnsafeBytes { parser.append($0) }
      rest = rest.dropFirst(partSize)
      readAll(&parser)
    }
    parser.end()
    readAll(&parser)
  }

  init(_ text: String, _ parser: Parser) { self.init(Array(text.utf8), parser) }

  private mutating func readAll(_ parser: inout Parser) {
    while true {
      do throws(ListError) {
        guard let element = try parser.next() else { return }
        elements.append(element)
      } catch {
        errors.append(error)
      }
    }
  }

  var problems: [ListProblem] { errors.map(\.problem) }
}

/// Texts and names of bags in tests.
enum BagText {
  static let md5 = String(repeating: "0123456789abcdef", count: 2)
  static let otherMD5 = String(repeating: "fedcba9876543210", count: 2)
  static let sha256 = String(repeating: "0123456789abcdef", count: 4)

  static func name(_ text: String) -> BagManifestName { BagManifestName(Array(text.utf8))! }

  /// A listing of manifests, each by its name and its text.
  static func listing(_ manifests: [(name: String, text: String)], allowsRepeats: Bool = false) throws -> BagListing {
    let listing = BagListing()
    for manifest in manifests {
      let name = name(manifest.name)
      listing.begin(name)
      for line in ParsedBagFile(manifest.text, BagManifestParser(name)).elements {
        try listing.add(line, allowsRepeats: allowsRepeats)
      }
    }
    return listing
  }
}

extension String {
  init(_ bytes: [UInt8]) { self.init(decoding: bytes, as: UTF8.self) }
}

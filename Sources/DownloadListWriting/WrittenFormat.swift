package import DownloadCore

/// The formats of manifests that swiftget writes, by their `--write-manifest` names.
package enum WrittenFormat: String, Hashable, Sendable, CaseIterable {
  /// The lines of sha256sum(1) and its relatives.
  case gnu
  /// `SHA256 (NAME) = HEX`, as sha256sum(1) prints it with `--tag`.
  case bsd
  /// Metalink 4 (RFC 5854).
  case metalink
  /// A JSON document of swiftget's own schema.
  case json
  /// JSON Lines of the same schema.
  case jsonl
  /// A BagIt bag (RFC 8493): a directory, not a single file.
  case bagit

  /// Whether entries have URLs.
  package var hasURLs: Bool { self == .metalink || self == .json || self == .jsonl }

  /// Whether URLs must be absolute. A Metalink describes where files are; readers refuse a file without a URL.
  package var needsURLs: Bool { self == .metalink }

  /// Why these algorithms cannot be written; nil if they can be.
  package func refusal(of algorithms: [DigestAlgorithm]) -> AlgorithmRefusal? {
    switch self {
    case .gnu:
      // A line has no algorithm: the number of digits must tell.
      for (index, one) in algorithms.enumerated() {
        for other in algorithms[..<index] where other.byteCount == one.byteCount { return .ambiguous(other, one) }
      }
      return nil
    case .metalink: return algorithms.first { MetalinkWriter.name(of: $0) == nil }.map { .unnamed($0) }
    case .bsd, .json, .jsonl, .bagit: return nil
    }
  }

  /// Whether a manifest of this format can hold the name.
  package func refusal(of name: [UInt8]) -> NameRefusal? {
    switch self {
    case .gnu, .bsd: return nil
    case .metalink: return XMLText.refusal(of: name)
    case .json, .jsonl, .bagit: return String(validating: name, as: UTF8.self) == nil ? .notUTF8 : nil
    }
  }
}

package import DownloadCompression

/// What a person reads of a compressed list that cannot be decompressed.
package enum CompressionMessages {
  /// The text after the list's name and a colon.
  package static func message(_ error: DecompressionError, _ format: CompressionFormat) -> String {
    let name = format.rawValue
    return switch error {
    case .truncated: "the \(name) data ends too early"
    case .damaged: "the \(name) data is damaged"
    case .trailingBytes: "other data follows the \(name) data"
    case .needsTooMuchMemory:
      "decompressing the \(name) data needs more than \(Decompressor.memoryLimit >> 20) MiB of memory"
    case .unsupported: "the \(name) data uses a feature that is not supported"
    case .noMemory: "not enough memory to decompress the \(name) data"
    }
  }

  package static func hint(_ error: DecompressionError) -> String? {
    switch error {
    case .truncated, .damaged: "check that the list is complete and was not changed, and get it again"
    case .trailingBytes: "check that the list is one compressed file"
    case .needsTooMuchMemory: "decompress the list first, or compress it with a lower level or a smaller window"
    case .unsupported: "decompress the list with the tool that made it"
    case .noMemory: "raise the limit on memory (ulimit -v)"
    }
  }
}

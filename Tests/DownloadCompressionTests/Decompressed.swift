import TestSupport

@testable import DownloadCompression

extension Compressor {
  var format: CompressionFormat {
    switch self {
    case .gzip: .gzip
    case .xz: .xz
    case .zstd: .zstd
    }
  }
}

/// What a decompressor makes of bytes: the content, and how it ended.
struct Decompressed: Equatable {
  private(set) var content: [UInt8] = []
  private(set) var error: DecompressionError?

  /// - Parameters:
  ///   - splits: the lengths of the parts in which the bytes are given; used in turn.
  ///   - room: the size of the output buffer.
  ///   - most: bytes of content at which reading stops.
  init(
    _ format: CompressionFormat, _ bytes: [UInt8], splits: [Int] = [.max], room: Int = 4096, most: Int = .max
  ) {
    do throws(DecompressionError) {
      let decompressor = try Decompressor(format)
      let output = UnsafeMutableRawBufferPointer.allocate(byteCount: room, alignment: 1)
      defer { output.deallocate() }
      // A copy at a place of its own, so that AddressSanitizer sees reads beyond a part.
      var rest = bytes[...]
      var number = 0
      while !rest.isEmpty {
        let part = Array(rest.prefix(splits[number % splits.count]))
        rest = rest.dropFirst(part.count)
        number += 1
        try take(part, decompressor, output, most: most)
        if content.count >= most { return }
      }
      try decompressor.end()
    } catch {
      self.error = error
    }
  }

  private mutating func take(
    _ part: [UInt8], _ decompressor: Decompressor, _ output: UnsafeMutableRawBufferPointer, most: Int
  ) throws(DecompressionError) {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: part.count, alignment: 1)
    defer { copy.deallocate() }
    copy.copyBytes(from: part)
    var input = UnsafeRawBufferPointer(copy)
    while true {
      let count = try decompressor.decompress(&input, into: output)
      content += output[..<count]
      if count < output.count && input.isEmpty || content.count >= most { return }
    }
  }
}

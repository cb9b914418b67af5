/// Decompresses bytes that come in parts of any size.
///
/// Members, streams and frames that follow one another are read as one content, as gzip(1), xz(1) and zstd(1) read them.
/// Memory depends on the format and its window, and not on the length of the content. One thread at a time.
package final class Decompressor {
  /// The memory that the window of a content may need, in bytes. `xz -9` needs half of it, `zstd --ultra -22` all.
  package static let memoryLimit = 128 << 20

  private let decoder: any Decoder
  /// Whether the decoder may have more output without any input: the last output was filled.
  private var mayHaveOutput = false
  /// Nothing can be read after an error.
  private var failure: DecompressionError?

  /// - Throws: `noMemory`.
  package init(_ format: CompressionFormat) throws(DecompressionError) {
    decoder =
      switch format {
      case .gzip: try GzipDecoder()
      case .xz: try XZDecoder(memoryLimit: Self.memoryLimit)
      case .zstd: try ZstdDecoder(memoryLimit: Self.memoryLimit)
      }
  }

  /// Decompresses into `output` until it is full or `input` is used up.
  ///
  /// If the output was filled, the decompressor may have more for it although `input` is empty.
  ///
  /// - Parameter input: is left with the bytes that were not read.
  /// - Returns: the number of bytes in `output`.
  package func decompress(
    _ input: inout UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(DecompressionError) -> Int {
    if let failure { throw failure }
    guard !output.isEmpty, !input.isEmpty || mayHaveOutput else { return 0 }
    do throws(DecompressionError) {
      let count = try decoder.decode(&input, into: output)
      mayHaveOutput = count == output.count
      return count
    } catch {
      failure = error
      throw error
    }
  }

  /// All input was given, and `decompress` has returned all of its content.
  ///
  /// - Throws: `truncated` where the content goes on.
  package func end() throws(DecompressionError) {
    if let failure { throw failure }
    assert(!mayHaveOutput, "output is left")
    try decoder.end()
  }
}

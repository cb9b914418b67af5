/// Why compressed bytes cannot be decompressed.
package enum DecompressionError: Error, Hashable, Sendable {
  /// The input ends before its end is reached.
  case truncated
  /// The bytes contradict the format or their own checksum.
  case damaged
  /// Something that is not compressed follows the compressed data.
  case trailingBytes
  /// Decompression needs more memory than `Decompressor.memoryLimit`.
  case needsTooMuchMemory
  /// The data uses a feature that the library does not have.
  case unsupported
  /// The library could not allocate memory.
  case noMemory
}

/// One of the libraries, driven step by step.
protocol Decoder: AnyObject {
  /// Decompresses into `output` until it is full or `input` is used up. `output` is never empty, and `input` only if the
  /// decoder may hold output.
  ///
  /// - Parameter input: is left with the bytes that were not read.
  /// - Returns: the number of bytes in `output`.
  func decode(
    _ input: inout UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(DecompressionError) -> Int

  /// There is no more input.
  ///
  /// - Throws: `truncated` where the content goes on.
  func end() throws(DecompressionError)
}

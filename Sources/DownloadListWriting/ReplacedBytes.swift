extension [UInt8] {
  /// Appends bytes, but for some of them the texts that stand for these.
  ///
  /// - Parameter text: nil for a byte that stands for itself.
  mutating func append(_ bytes: some Sequence<UInt8>, replacing text: (UInt8) -> StaticString?) {
    for byte in bytes {
      if let text = text(byte) { text.withUTF8Buffer { self += $0 } } else { append(byte) }
    }
  }
}

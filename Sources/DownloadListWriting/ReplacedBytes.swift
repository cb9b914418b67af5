extension [UInt8] {
  /// Appends bytes, but for some of them the texts that stand for these.
  mutating func append(_ bytes: some Sequence<UInt8>, replacing texts: KeyValuePairs<UInt8, String>) {
    for byte in bytes {
      if let text = texts.first(where: { $0.key == byte })?.value { self += text.utf8 } else { append(byte) }
    }
  }
}

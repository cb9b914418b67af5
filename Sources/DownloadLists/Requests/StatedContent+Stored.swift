internal import DownloadCore

extension StatedContent {
  /// One line: the length, if it is stated, and the digests, as in `5 sha256:HEX`.
  var storedText: [UInt8] {
    if self == StatedContent() { return [] }
    let fields = (length.map { [String($0)] } ?? []) + digests.map(\.text)
    return Array(fields.joined(separator: " ").utf8)
  }

  /// Reads `storedText`.
  init(storedText: ArraySlice<UInt8>) {
    let fields = storedText.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
    self.init(digests: fields.compactMap { ContentDigest(text: $0) }, length: fields.first.flatMap { Int64($0) })
  }
}

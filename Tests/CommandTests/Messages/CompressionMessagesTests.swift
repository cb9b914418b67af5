import DownloadCompression
import Testing

@testable import DownloadWords

@Suite struct `Words of compressed lists` {
  @Test(
    arguments: [
      DecompressionError.truncated, .damaged, .trailingBytes, .needsTooMuchMemory, .unsupported, .noMemory,
    ], CompressionFormat.allCases)
  func `say what is wrong`(error: DecompressionError, format: CompressionFormat) {
    let facts = error == .needsTooMuchMemory ? ["128 MiB", format.rawValue] : [format.rawValue]
    Wording.check(
      CompressionMessages.message(error, format), hint: CompressionMessages.hint(error), facts: facts, "\(error)")
  }
}

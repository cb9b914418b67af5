import DownloadCore
import TestSupport
import Testing

@testable import DownloadJSON

/// Keeps the published schema and the parser in step.
@Suite struct `JSON Schema of lists` {
  /// What the schema says of each text.
  private func judgements(_ texts: [String]) throws -> [Bool] {
    try JSONSchema("manifest.schema.json").problems(texts).map(\.isEmpty)
  }

  @Test(.enabled(if: JSONSchema.isAvailable))
  func `agrees with the parser about entries`() throws {
    let texts = Samples.valid + Samples.invalid.map(\.text)
    let judgements = try judgements(texts)
    try #require(judgements.count == texts.count)
    for (text, isValid) in zip(texts, judgements) {
      let list = ReadJSON.lines(text)
      #expect(isValid == list.errors.isEmpty, "\(text)")
    }
  }

  @Test(.enabled(if: JSONSchema.isAvailable))
  func `agrees with the parser about documents`() throws {
    let texts =
      Samples.valid.map { "{\"version\":1,\"files\":[\($0)],\"x-a\":1}" }
      + Samples.invalid.map { "{\"version\":1,\"files\":[\($0.text)]}" }
      + [
        #"{"version":1,"files":[]}"#, #"{"version":2,"files":[]}"#, #"{"version":1}"#, #"{"files":[]}"#,
        #"{"version":1,"files":{}}"#, #"{"version":1,"files":[],"a":1}"#,
      ]
    let judgements = try judgements(texts)
    try #require(judgements.count == texts.count)
    for (text, isValid) in zip(texts, judgements) {
      #expect(isValid == ReadJSON.document(text).errors.isEmpty, "\(text)")
    }
  }
}

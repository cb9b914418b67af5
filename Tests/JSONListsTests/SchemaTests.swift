import DownloadCore
import Glibc
import TestSupport
import Testing

@testable import JSONLists

/// Keeps the published schema and the parser in step. `make deps` installs python3-jsonschema; without it nothing is
/// compared.
@Suite struct `JSON Schema of lists` {
  private static let schema =
    String(#filePath.dropLast("/Tests/JSONListsTests/SchemaTests.swift".count))
    + "/share/swiftget/manifest.schema.json"
  private static let python = "/usr/bin/python3"
  static var isAvailable: Bool {
    (try? runProgram(python, ["-c", "import jsonschema; jsonschema.Draft202012Validator"]))?.status == 0
  }

  /// What the schema says of each text.
  private func judgements(_ texts: [String]) throws -> [Bool] {
    let directory = try TemporaryDirectory()
    for (index, text) in texts.enumerated() { try directory.write("\(index)", text) }
    let script = """
      import json, sys, jsonschema
      schema = json.load(open(sys.argv[1]))
      jsonschema.Draft202012Validator.check_schema(schema)
      validator = jsonschema.Draft202012Validator(schema)
      for index in range(int(sys.argv[3])):
          print(validator.is_valid(json.load(open(f"{sys.argv[2]}/{index}"))))
      """
    let result = try runProgram(Self.python, ["-c", script, Self.schema, directory.path, String(texts.count)])
    #expect(result.status == 0, "\(result.errorText)")
    return result.outputText.split(separator: "\n").map { $0 == "True" }
  }

  @Test(.enabled(if: Self.isAvailable))
  func `agrees with the parser about entries`() throws {
    let texts = Samples.valid + Samples.invalid.map(\.text)
    let judgements = try judgements(texts)
    try #require(judgements.count == texts.count)
    for (text, isValid) in zip(texts, judgements) {
      let list = ReadJSON.lines(text)
      #expect(isValid == list.errors.isEmpty, "\(text)")
    }
  }

  @Test(.enabled(if: Self.isAvailable))
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

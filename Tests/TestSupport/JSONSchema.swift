/// A schema of `share/swiftget`, asked by python3-jsonschema. `make deps` installs that; without it nothing is compared.
package struct JSONSchema {
  private static let python = "/usr/bin/python3"
  private let path: String

  package static var isAvailable: Bool {
    (try? runProgram(python, ["-c", "import jsonschema; jsonschema.Draft202012Validator"]))?.status == 0
  }

  /// - Parameter name: of the file in `share/swiftget`.
  package init(_ name: String) {
    path = String(#filePath.dropLast("/Tests/TestSupport/JSONSchema.swift".count)) + "/share/swiftget/" + name
  }

  /// What is wrong with each of the documents; empty for a valid one.
  package func problems(_ documents: [String]) throws -> [String] {
    let directory = try TemporaryDirectory()
    for (index, text) in documents.enumerated() { try directory.write("\(index)", text) }
    let script = """
      import json, sys, jsonschema
      schema = json.load(open(sys.argv[1]))
      jsonschema.Draft202012Validator.check_schema(schema)
      validator = jsonschema.Draft202012Validator(schema)
      for index in range(int(sys.argv[3])):
          errors = validator.iter_errors(json.load(open(f"{sys.argv[2]}/{index}")))
          print(" ".join(" ".join(f"{list(e.path)} {e.message}".split()) for e in errors))
      """
    let result = try runProgram(Self.python, ["-c", script, path, directory.path, String(documents.count)])
    guard result.status == 0 else { throw TestSupportError("no answer about \(path): \(result.errorText)") }
    return result.outputText.split(separator: "\n", omittingEmptySubsequences: false).prefix(documents.count)
      .map(String.init)
  }
}

import Glibc
import TestSupport

/// Writes a BagIt bag by the rules of RFC 8493, with the directory `bag` in a workplace.
struct BagMaker {
  let place: Workplace
  /// The payload by its names below `data`.
  var files: [String: Content] = [
    "a": .text("content of a"), "d/b c": .text("content of b"), "empty": .text(""), "50%25": .text("percents"),
    "日本": .text("Japanese"), "x\ny\rz": .text("line breaks"),
  ]
  var version = "1.0"
  var algorithms = ["md5", "sha256"]
  /// Lines of `fetch.txt`; nil for none.
  var fetch: [String]?
  /// The value of Payload-Oxum; nil for the right one.
  var oxum: String?

  init(_ place: Workplace) { self.place = place }

  static func encoded(_ name: String) -> String {
    name.replacing("%", with: "%25").replacing("\n", with: "%0A").replacing("\r", with: "%0D")
  }

  /// A line of `fetch.txt` for a file of the payload.
  func fetchLine(_ name: String, _ url: String, hasLength: Bool = true) -> String {
    "\(url) \(hasLength ? String(files[name]!.byteCount) : "-") data/\(Self.encoded(name))"
  }

  /// Writes the bag.
  ///
  /// - Parameter missing: payload files that are not written.
  func write(missing: Set<String> = []) throws {
    for directory in ["bag", "bag/data"] { mkdir(place.directory.path(directory), 0o755) }
    for name in files.keys.filter({ $0.contains("/") && !missing.contains($0) }).sorted() {
      let parts = name.split(separator: "/").dropLast()
      for index in parts.indices {
        mkdir(place.directory.path("bag/data/" + parts[...index].joined(separator: "/")), 0o755)
      }
    }
    for (name, content) in files where !missing.contains(name) {
      try content.write(to: place.directory.path("bag/data/" + name))
    }
    try place.directory.write("bag/bagit.txt", "BagIt-Version: \(version)\nTag-File-Character-Encoding: UTF-8\n")
    let oxum = oxum ?? "\(files.values.reduce(0) { $0 + $1.byteCount }).\(files.count)"
    try place.directory.write("bag/bag-info.txt", "Source-Organization: Test\n  of swiftget\nPayload-Oxum: \(oxum)\n")
    if let fetch { try place.directory.write("bag/fetch.txt", fetch.map { $0 + "\n" }.joined()) }
    for algorithm in algorithms {
      let lines = try files.keys.sorted().map {
        "\(try files[$0]!.hexDigest(algorithm))  data/\(Self.encoded($0))\n"
      }
      try place.directory.write("bag/manifest-\(algorithm).txt", lines.joined())
    }
    try writeTagManifests()
  }

  /// Writes tag manifests that fit the other tag files.
  func writeTagManifests() throws {
    let names = place.directory.names(in: "bag").filter { $0 != "data" && !$0.hasPrefix("tagmanifest-") }
    for algorithm in algorithms {
      let lines = try names.map {
        "\(try Content.bytes(place.directory.read("bag/" + $0)).hexDigest(algorithm)) \($0)\n"
      }
      try place.directory.write("bag/tagmanifest-\(algorithm).txt", lines.joined())
    }
  }

  func holds(_ name: String) -> Bool { place.holds("bag/data/" + name, files[name]!) }
}

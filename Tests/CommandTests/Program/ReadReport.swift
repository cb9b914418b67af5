import Foundation
import TestSupport
import Testing

/// A report that the program has written, held against its schema.
struct ReadReport {
  private let members: [String: Any]
  let items: [Item]

  struct Item {
    private let members: [String: Any]

    init(_ members: [String: Any]) { self.members = members }

    func text(_ key: String) -> String? { members[key] as? String }
    func number(_ key: String) -> Int? { members[key] as? Int }
    func object(_ key: String) -> [String: Any]? { members[key] as? [String: Any] }
    var outcome: String { text("outcome") ?? "" }
    var error: String { object("error")?["message"] as? String ?? "" }
    var code: String { object("error")?["code"] as? String ?? "" }
    var source: String? { object("source").map { "\($0["list"] ?? ""):\($0["line"] ?? "")" } }
    var digest: String? { object("digest").map { "\($0["algorithm"] ?? ""):\($0["value"] ?? "") \($0["from"] ?? "")" } }
    private var mirrors: [(url: String, byteCount: Int)] {
      (members["mirrors"] as? [[String: Any]] ?? []).map {
        ($0["url"] as? String ?? "", $0["bytes_fetched"] as? Int ?? -1)
      }
    }
    var urls: [String] { mirrors.map(\.url) }
    /// Of those that sent something.
    var bytesByMirror: [String: Int] {
      Dictionary(uniqueKeysWithValues: mirrors.filter { $0.byteCount > 0 }.map { ($0.url, $0.byteCount) })
    }
  }

  init(_ document: String) throws {
    if JSONSchema.isAvailable { #expect(try JSONSchema("output.schema.json").problems([document]) == [""]) }
    members = try #require(try JSONSerialization.jsonObject(with: Data(document.utf8)) as? [String: Any])
    items = (members["items"] as? [[String: Any]] ?? []).map(Item.init)
    #expect(total("files") == items.count)
    for outcome in ["downloaded", "kept", "failed", "unfinished", "not_started", "cancelled", "removed"] {
      #expect(total(outcome) == items.count { $0.outcome == outcome }, "\(outcome)")
    }
    #expect(self.text("started") ?? "z" <= self.text("time") ?? "")
  }

  func text(_ key: String) -> String? { members[key] as? String }
  private var invalid: [String: Any]? { members["invalid"] as? [String: Any] }
  var invalidCount: Int? { invalid?["count"] as? Int }
  var invalidMessages: [String] { invalid?["messages"] as? [String] ?? [] }
  var status: Int? { members["status"] as? Int }
  func total(_ key: String) -> Int? { (members["totals"] as? [String: Any])?[key] as? Int }
  /// `--name=value`, or `--name`.
  var options: [String] {
    (members["options"] as? [[String: Any]] ?? []).map { option in
      let name = option["name"] as? String ?? ""
      return (option["value"] as? String).map { "\(name)=\($0)" } ?? name
    }
  }

  /// The item whose path ends like this.
  func item(_ name: String) throws -> Item {
    try #require(items.first { $0.text("path")?.hasSuffix("/" + name) ?? false }, "\(name)")
  }
}

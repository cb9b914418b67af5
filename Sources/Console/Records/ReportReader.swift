import DownloadCore
import JSONLists

/// Why a file is not a report of this version.
enum ReportProblem: Error, Equatable {
  /// No object, or one without a version.
  case notReport
  case syntax(JSONProblem.Syntax)
  /// Something that is longer than it is in any report.
  case tooLong
  case unknownVersion
  /// A member that is missing or is not what it should be.
  case member(String)
  /// Of an item, counted from 0.
  case itemMember(Int, String)
  case itemSyntax(Int, JSONProblem.Syntax)
  /// The totals count other items than there are.
  case otherTotals
}

/// Reads a report part by part. What it does not know is a member of a later program, and stays.
struct ReportReader {
  private var splitter = DocumentSplitter(arrays: [Array("items".utf8)])
  private var hasItems = false
  private var members: [String: JSONValue] = [:]
  private var itemCount = 0
  private var counted = ReportTotals()

  /// - Parameter take: gets the text of each item.
  /// - Throws: what is wrong with the report.
  mutating func append(_ bytes: UnsafeRawBufferPointer, _ take: ([UInt8]) -> Void) throws(ReportProblem) {
    var splitter = splitter
    defer { self.splitter = splitter }
    var fault: DocumentSplitter.Fault?
    try splitter.append(bytes) { (part) throws(ReportProblem) in
      switch part {
      case .failure(let found): fault = found
      case .success(.member(let key, let text)):
        members[String(decoding: key, as: UTF8.self)] = try Self.value(text.bytes) { .syntax($0) }
      case .success(.array): hasItems = true
      case .success(.element(let text)):
        // A line break is no part of a text, so it is a blank here.
        let line = text.bytes.map { $0 == 0x0a || $0 == 0x0d ? 0x20 : $0 }
        try check(item: line)
        take(line)
      }
    }
    guard let fault else { return }
    let isOther = splitter.isBlank || fault.reason == .syntax(.textAfterValue) && members[Self.version] == nil
    throw isOther ? .notReport : Self.problem(fault)
  }

  private static let version = "version"

  private static func problem(_ fault: DocumentSplitter.Fault) -> ReportProblem {
    switch fault.reason {
    case .syntax(let syntax): .syntax(syntax)
    case .tooLong: .tooLong
    }
  }

  private static func value(
    _ text: [UInt8], _ problem: (JSONProblem.Syntax) -> ReportProblem
  ) throws(ReportProblem) -> JSONValue {
    switch JSONValue.parse(value: text) {
    case .success(let value): return value
    case .failure(let error): throw problem(error.syntax)
    }
  }

  // MARK: Items

  private static let integers = ["item", "bytes_fetched", "retries"]
  private static let arrays = ["urls", "mirrors"]
  /// `null`, or a text or an object.
  private static let texts = ["final_url", "path", "started"]
  private static let objects = ["source", "digest", "error"]

  private mutating func check(item text: [UInt8]) throws(ReportProblem) {
    let number = itemCount
    let item = try Self.value(text) { .itemSyntax(number, $0) }
    func require(_ keys: [String], _ isRight: (JSONValue) -> Bool) throws(ReportProblem) {
      for key in keys {
        guard let value = item[Array(key.utf8)[...]], isRight(value) else { throw .itemMember(number, key) }
      }
    }
    try require(Self.integers) { $0.integer ?? -1 >= 0 }
    try require(Self.arrays) { $0.elements != nil }
    try require(Self.texts) { $0.isNull || $0.text != nil }
    try require(Self.objects) { $0.isNull || $0.isObject }
    try require(["size", "http_status"]) { $0.isNull || $0.integer ?? -1 >= 0 }
    try require(["seconds"]) { $0.number ?? -1 >= 0 }
    let outcome = item["outcome"]?.text.map { String(decoding: $0, as: UTF8.self) }
    guard let ending = ReportText.Ending(rawValue: outcome ?? "") else { throw .itemMember(number, "outcome") }
    itemCount += 1
    counted[ending] += 1
  }

  // MARK: The end

  /// What the report says of its run.
  mutating func finish() throws(ReportProblem) -> ReportHead {
    if let fault = splitter.faultOfEnd { throw Self.problem(fault) }
    guard let version = members[Self.version] else { throw .notReport }
    guard version.integer == Int64(ReportText.formatVersion) else { throw .unknownVersion }
    guard hasItems else { throw .member("items") }
    let times = [try time("started"), try time("ended")]
    guard let number = try member("status").integer, let status = ExitStatus(rawValue: Int32(clamping: number)) else {
      throw .member("status")
    }
    var head = ReportHead(
      started: times[0], ended: times[1], status: status, options: try options(), totals: try totals())
    head.invalid = try invalid()
    guard ReportText.Ending.allCases.allSatisfy({ counted[$0] == head.totals[$0] }) else { throw .otherTotals }
    return head
  }

  private func member(_ key: String) throws(ReportProblem) -> JSONValue {
    guard let value = members[key] else { throw .member(key) }
    return value
  }

  private func time(_ key: String) throws(ReportProblem) -> String {
    guard let text = try member(key).text, Timestamp.isUTC(text) else { throw .member(key) }
    return String(decoding: text, as: UTF8.self)
  }

  private func options() throws(ReportProblem) -> [GivenOption] {
    guard let elements = try member("options").elements else { throw .member("options") }
    var options: [GivenOption] = []
    for element in elements {
      guard let name = element["name"]?.text, let value = element["value"], value.isNull || value.text != nil else {
        throw .member("options")
      }
      options.append(
        GivenOption(
          name: String(decoding: name, as: UTF8.self), value: value.text.map { String(decoding: $0, as: UTF8.self) }))
    }
    return options
  }

  private func invalid() throws(ReportProblem) -> InvalidEntries {
    guard let object = members["invalid"] else { return InvalidEntries() }
    let messages = object["messages"]?.elements?.compactMap(\.text).map { String(decoding: $0, as: UTF8.self) }
    guard let count = object["count"]?.integer, count >= 0, let messages else { throw .member("invalid") }
    return InvalidEntries(count: count, messages: messages)
  }

  private func totals() throws(ReportProblem) -> ReportTotals {
    let object = try member("totals")
    func count(_ key: String) throws(ReportProblem) -> Int64 {
      guard let count = object[Array(key.utf8)[...]]?.integer, count >= 0 else { throw .member("totals") }
      return count
    }
    var totals = ReportTotals()
    for ending in ReportText.Ending.allCases { totals[ending] = try count(ending.rawValue) }
    totals.fetchedByteCount = try count("bytes_fetched")
    totals.totalByteCount = try count("bytes_total")
    guard let seconds = object["seconds"]?.number, (0...1e12).contains(seconds) else { throw .member("totals") }
    totals.elapsed = .milliseconds(Int64((seconds * 1000).rounded()))
    return totals
  }
}

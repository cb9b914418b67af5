internal import CommandOptions
internal import DownloadCore
internal import DownloadJSON
internal import DownloadWords
internal import SwiftGet

/// A limit as `ctl limit` takes it.
enum LimitKey: String, CaseIterable {
  case jobs, connections, rate, requests

  static var names: [String] { allCases.map(\.rawValue) }

  /// In the protocol.
  var member: String {
    switch self {
    case .jobs: "active_files"
    case .connections: "connections"
    case .rate: "bytes_per_second"
    case .requests: "requests_per_second"
    }
  }

  /// The JSON text of a value.
  ///
  /// - Parameter value: `off`, or what the limit is.
  func json(_ value: String) throws(ControlFailure) -> [UInt8] {
    let bytes = Array(value.utf8)
    if value == "off" { return Array("null".utf8) }
    switch self {
    case .jobs, .connections:
      guard let count = Int64(digits: bytes), count > 0 else {
        let isZero = Int64(digits: bytes) == 0
        throw ControlFailure(
          .usage, "\(rawValue)=\(value): it is a whole number from 1 on, or off",
          hint: isZero && self == .jobs ? "swiftget ctl pause @all stops everything" : nil)
      }
      return Array(String(count).utf8)
    case .rate:
      guard let rate = OptionValues.rate(bytes), rate > 0 else {
        throw ControlFailure(.usage, "\(rawValue)=\(value): it is a rate such as 2M or 500k/s, or off")
      }
      return Array(String(rate).utf8)
    case .requests:
      guard let rate = OptionValues.requestRate(bytes) else {
        throw ControlFailure(.usage, "\(rawValue)=\(value): it is a rate such as 3/s or 30/m, or off")
      }
      return Array(String(rate).utf8)
    }
  }

  /// `jobs=4 rate=1.0 MiB/s`.
  static func text(of limits: JSONValue?) -> String {
    let texts = allCases.compactMap { key -> String? in
      guard let value = limits?[Array(key.member.utf8)[...]], !value.isNull else { return nil }
      if key == .rate { return "rate=\(Humanized.rate(Double(value.integer ?? 0)))" }
      if key == .requests { return "requests=\(requests(value.number ?? 0))" }
      return "\(key.rawValue)=\(String(decoding: value.written, as: UTF8.self))"
    }
    return texts.isEmpty ? "no limits" : texts.joined(separator: " ")
  }

  /// `3/s`, `30/m`, or seconds for one.
  private static func requests(_ rate: Double) -> String {
    for (seconds, unit) in [(1.0, "s"), (60, "m"), (3600, "h")] {
      let count = rate * seconds
      if count >= 1, count == count.rounded() { return "\(Int64(count))/\(unit)" }
    }
    return "\(rate)/s"
  }
}

/// What `ctl set` changes.
enum SettingKey: String, CaseIterable {
  case connections, rate, tries
  case stallTimeout = "stall_timeout"
  case connectTimeout = "connect_timeout"
  case maxTime = "max_time"
  case header, user
  case userAgent = "user_agent"
  case proxy, interface
  case acceptStatus = "accept_status"
  case ifExists = "if_exists"
  case url, checksum, out, priority

  static var names: [String] { allCases.map(\.rawValue) }

  /// A hyphen is as good as an underscore, and the names of the protocol are understood.
  init?(name: String) {
    let name = String(name.map { $0 == "-" ? "_" : $0 })
    let other = Self.allCases.first { $0.member == name }
    guard let key = Self(rawValue: name) ?? other else { return nil }
    self = key
  }

  /// In the protocol's `settings`.
  var member: String {
    switch self {
    case .rate: "bytes_per_second"
    case .header: "headers"
    case .acceptStatus: "accepted_statuses"
    case .out: "name"
    case .connections, .tries, .stallTimeout, .connectTimeout, .maxTime, .user, .userAgent, .proxy, .interface,
      .ifExists,
      .url, .checksum, .priority:
      rawValue
    }
  }

  /// The JSON text of a value; null for an empty one.
  func json(_ value: String) throws(ControlFailure) -> [UInt8] {
    if value.isEmpty { return Array("null".utf8) }
    let bytes = Array(value.utf8)
    switch self {
    case .connections, .tries:
      guard let count = Int64(digits: bytes) else { throw wrong(value, "a whole number") }
      return Array(String(count).utf8)
    case .priority:
      guard let number = Int64(value), -100...100 ~= number else { throw wrong(value, "from -100 to 100") }
      return Array(String(number).utf8)
    case .rate:
      guard let rate = OptionValues.rate(bytes), rate > 0 else { throw wrong(value, "a rate such as 2M or 500k/s") }
      return Array(String(rate).utf8)
    case .stallTimeout, .connectTimeout, .maxTime:
      guard let time = OptionValues.duration(bytes) else { throw wrong(value, "a time such as 30, 5m or 1h") }
      return Array(String(time.inSeconds).utf8)
    case .acceptStatus:
      let statuses = value.split(separator: ",").map { Int64(digits: Array($0.utf8)) }
      guard !statuses.contains(nil) else { throw wrong(value, "numbers with commas between them") }
      return Array("[\(statuses.compactMap(\.self).map(String.init).joined(separator: ","))]".utf8)
    case .userAgent, .proxy, .interface, .ifExists, .url, .checksum, .out, .header, .user:
      return JSONObject.quoted(value)
    }
  }

  private func wrong(_ value: String, _ what: String) -> ControlFailure {
    ControlFailure(.usage, "\(rawValue)=\(value): it is \(what)")
  }
}

/// `KEY=VALUE`, if a word is that.
struct Assignment: Equatable {
  let key: String
  let value: String

  init?(_ word: String) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let isName = parts[0].utf8.allSatisfy { (97...122).contains($0) || $0 == 45 || $0 == 95 }
    guard parts.count == 2, !parts[0].isEmpty, isName else { return nil }
    (key, value) = (parts[0], parts[1])
  }
}

/// What `ctl set` is to change, with what stands in files and on standard input.
struct SettingValues {
  /// Without `priority`.
  private(set) var settings = JSONObject()
  private(set) var priority: Int64?
  /// Whether something is kept in memory only.
  private(set) var hasSecrets = false
  private(set) var hasURL = false
  var isEmpty: Bool { settings.count == 0 && priority == nil }
  var hasSettings: Bool { settings.count > 0 }

  /// - Parameter read: the text of `-` or of a file; nil if it cannot be read.
  init(_ assignments: [Assignment], read: (_ path: String) -> String?) throws(ControlFailure) {
    var headers: [HeaderField]?
    var seen: Set<SettingKey> = []
    for assignment in assignments {
      guard let key = SettingKey(name: assignment.key) else {
        throw ControlFailure(.usage, "set has no key \(assignment.key)", hint: Self.hint(for: assignment.key))
      }
      guard seen.insert(key).inserted || key == .header else {
        throw ControlFailure(.usage, "\(key.rawValue) is given twice")
      }
      let value = assignment.value
      switch key {
      case .priority:
        guard !value.isEmpty else { throw ControlFailure(.usage, "priority needs a number") }
        priority = Int64(String(decoding: try key.json(value), as: UTF8.self))
      case .header:
        var lines = headers ?? []
        if value.isEmpty { headers = [] }
        let text = try Self.text(value, key, read) ?? value
        if value.hasPrefix("@") || value == "-" { hasSecrets = true }
        for line in text.split(whereSeparator: \.isNewline) {
          guard let header = OptionValues.headerLine(Array(line.utf8)), header.contains(":") else {
            throw ControlFailure(.usage, "header: a line is not 'Name: value'")
          }
          lines.append(HeaderField(line: header))
        }
        headers = lines
      case .user:
        guard !value.isEmpty else {
          settings.add("user", String?.none)
          continue
        }
        guard let text = try Self.text(value, key, read) else {
          throw ControlFailure(
            .usage, "user: the name and password do not stand on the command line, where others see them",
            hint: "user=- reads NAME:PASSWORD from standard input, user=@FILE from a file")
        }
        let line = text.split(separator: "\n", maxSplits: 1).first.map(String.init) ?? ""
        guard let colon = line.firstIndex(of: ":") else { throw ControlFailure(.usage, "user: it is NAME:PASSWORD") }
        settings.add("user", String(line[..<colon]))
        settings.add("password", String(line[line.index(after: colon)...]))
        hasSecrets = true
      default:
        if key == .url { hasURL = !value.isEmpty }
        settings.add(key.member, verbatim: try key.json(value))
      }
    }
    if let headers {
      settings.add(SettingKey.header.member, headers.isEmpty ? JSONObject?.none : JSONObject(fields: headers))
    }
  }

  private static func hint(for key: String) -> String {
    if LimitKey(rawValue: key) != nil { return "ctl limit \(key)=VALUE changes this limit" }
    if KeptOptions.has(key) { return "set @session \(key)=VALUE changes this option of the session" }
    let near = Suggestion.nearest(to: key, among: SettingKey.names)
    return near.map { "perhaps \($0) is meant" } ?? "keys are \(SettingKey.names.joined(separator: ", "))"
  }

  private static func text(
    _ value: String, _ key: SettingKey, _ read: (String) -> String?
  ) throws(ControlFailure) -> String? {
    guard value == "-" || value.hasPrefix("@") else { return nil }
    guard let text = read(value == "-" ? value : String(value.dropFirst())) else {
      throw ControlFailure(.usage, "\(key.rawValue): \(value == "-" ? "standard input" : "the file") cannot be read")
    }
    return text
  }
}

internal import DownloadCore
internal import DownloadJSON
internal import DownloadTransport

/// A session as the verbs see it: calls go to whoever works on it, and are repeated if that process dies and a call may be.
final class SessionLink {
  let finder: SessionFinder
  private(set) var connection: any ControlConnection
  /// Finds another connection if the process ends.
  private let connect: () throws(ControlFailure) -> any ControlConnection

  convenience init(_ finder: SessionFinder) throws(ControlFailure) {
    try self.init(finder) { () throws(ControlFailure) in try finder.connect() }
  }

  /// - Parameter connect: finds the way to the session, at first and if the process ends that works on it.
  init(
    _ finder: SessionFinder, _ connect: @escaping () throws(ControlFailure) -> any ControlConnection
  ) throws(ControlFailure) {
    (self.finder, self.connect) = (finder, connect)
    connection = try connect()
  }

  var name: String { finder.name }
  var worker: Int64? { connection.worker }

  /// How long a call is repeated after the end of the process that worked on the session.
  private static let patience = Duration.seconds(10)

  /// - Parameter isRepeatable: whether a second time does nothing more than the first.
  func call(
    _ method: String, isRepeatable: Bool = true, _ fill: (inout JSONObject) -> Void = { _ in }
  ) throws(ControlFailure) -> JSONValue {
    var parameters = JSONObject()
    fill(&parameters)
    return try call(method, parameters, isRepeatable: isRepeatable)
  }

  /// Begins a call that a second time does nothing more. The session obeys it while the caller does something else.
  ///
  /// - Returns: waits for the answer, and repeats the call if the process that works on the session has ended.
  func begin(
    _ method: String, _ fill: (inout JSONObject) -> Void
  ) throws(ControlFailure) -> () throws(ControlFailure) -> JSONValue {
    var parameters = JSONObject()
    fill(&parameters)
    let answer = try unlessLost { () throws(ControlFailure) in try connection.begin(method, parameters) }
    return { [self, parameters] () throws(ControlFailure) in
      if let answer, let value = try unlessLost(answer) { return value }
      return try call(method, parameters, isRepeatable: true)
    }
  }

  private func call(
    _ method: String, _ parameters: JSONObject, isRepeatable: Bool
  ) throws(ControlFailure) -> JSONValue {
    var lastRepetition = Instant.distantFuture
    while true {
      do throws(ControlFailure) { return try connection.call(method, parameters) } catch {
        guard error.isLost, isRepeatable, Clock.now() < lastRepetition else { throw error }
        lastRepetition = min(lastRepetition, Clock.now() + Self.patience)
        try reconnect()
      }
    }
  }

  /// The process has ended. Another one works on the session, or nobody.
  func reconnect() throws(ControlFailure) {
    // An idle session is given back before somebody else can have it.
    connection.close()
    // A process that ends its work still listens for a moment, but refuses calls.
    Waiting.pause(.milliseconds(20))
    connection = try connect()
  }

  /// Calls `body` with the tasks in pages.
  ///
  /// - Parameters:
  ///   - terms: nil for all tasks.
  ///   - fields: the members that are wanted; nil for all.
  ///   - asRows: whether a task is an array of the values of `fields`. An earlier version of the program sends objects.
  ///   - body: returns whether it wants more.
  /// - Returns: the terms that name what the session does not have.
  @discardableResult
  func pages(
    _ terms: [String]?, fields: [String]?, asRows: Bool = false,
    _ body: (JSONValue.Elements) throws(ControlFailure) -> Bool
  ) throws(ControlFailure) -> [String] {
    func fill(_ parameters: inout JSONObject, after: String?) {
      if let terms { parameters.add("select", terms) }
      if let fields { parameters.add("fields", fields) }
      if asRows { parameters.add("rows", true) }
      if let after { parameters.add("after", after) }
    }
    var page = try call("list") { fill(&$0, after: nil) }
    let unknown = page["unknown"]?.strings ?? []
    while let tasks = (page["rows"] ?? page["tasks"])?.elements {
      let after = page["next"]?.string
      // The other process makes the next page while this one is used.
      let next = try after.map { after throws(ControlFailure) in try begin("list") { fill(&$0, after: after) } }
      guard try body(tasks), let next else { break }
      page = try next()
    }
    return unknown
  }

  /// Nil if the process that works on the session has ended.
  private func unlessLost<Value>(_ body: () throws(ControlFailure) -> Value) throws(ControlFailure) -> Value? {
    do throws(ControlFailure) { return try body() } catch {
      if error.isLost { return nil }
      throw error
    }
  }

  func close() { connection.close() }
}

extension JSONValue {
  var string: String? { text.map { String(decoding: $0, as: UTF8.self) } }

  var strings: [String] { elements?.compactMap(\.string) ?? [] }

  /// The same value as text, on one line.
  var written: [UInt8] {
    if isNull { return Array("null".utf8) }
    if let boolean { return Array((boolean ? "true" : "false").utf8) }
    if let integer { return Array(String(integer).utf8) }
    if let text { return JSONObject.quoted(text) }
    if let number { return Array(String(number).utf8) }
    if let elements {
      return [UInt8(ascii: "[")] + elements.map(\.written).joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "]")]
    }
    return object.text
  }

  /// Of an object, with some of its members.
  func object(with names: [String]) -> JSONObject {
    var object = JSONObject()
    for name in names {
      if let value = self[Array(name.utf8)[...]] {
        object.add(name, verbatim: value.written)
      } else {
        object.add(name, String?.none)
      }
    }
    return object
  }

  private var object: JSONObject {
    var object = JSONObject()
    for (name, value) in members { object.add(String(decoding: name, as: UTF8.self), verbatim: value.written) }
    return object
  }
}

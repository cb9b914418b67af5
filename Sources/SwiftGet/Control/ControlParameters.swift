internal import DownloadControl
internal import DownloadCore
internal import DownloadJSON

/// The parameters of a call.
struct ControlParameters: Sendable {
  private let json: JSONValue?

  init(_ json: JSONValue?) { self.json = json }

  /// - Parameter what: what it is when it is right.
  private func value<Value>(
    _ name: StaticString, _ what: String, _ read: (JSONValue) -> Value?
  ) throws(DownloadError) -> Value? {
    guard let value = json?[name], !value.isNull else { return nil }
    guard let found = read(value) else { throw Self.wrong(name, what) }
    return found
  }

  func text(_ name: StaticString) throws(DownloadError) -> String? { try value(name, "a text") { $0.string } }

  func flag(_ name: StaticString) throws(DownloadError) -> Bool {
    try value(name, "true or false") { $0.boolean } ?? false
  }

  func number(_ name: StaticString) throws(DownloadError) -> Int64? {
    try value(name, "a whole number") { $0.integer }
  }

  func texts(_ name: StaticString) throws(DownloadError) -> [String]? {
    try value(name, "an array of texts") { value -> [String]? in
      guard let elements = value.elements else { return nil }
      let texts = elements.compactMap(\.string)
      return texts.count == elements.count ? texts : nil
    }
  }

  func closing() throws(DownloadError) -> DownloadSession.Closing {
    let modes: [String: DownloadSession.Closing] = ["finish": .finish, "save": .save, "now": .now]
    let mode = try text("mode") ?? "save"
    if let closing = modes[mode] { return closing }
    throw DownloadError(.invalidValue, "\"mode\" is \"finish\", \"save\" or \"now\"")
  }

  func settings() throws(DownloadError) -> DownloadSettings {
    try DownloadSettings(given: json?["settings"])
  }

  func limits() throws(DownloadError) -> DownloadLimits {
    guard let limits = json?["limits"].flatMap({ DownloadLimits(json: $0) }) else {
      throw Self.wrong("limits", "an object of limits")
    }
    return limits
  }

  func selectors() throws(DownloadError) -> [DownloadSelector]? {
    guard let texts = try texts("select") else { return nil }
    var selectors: [DownloadSelector] = []
    for text in texts { selectors.append(try DownloadSelector(text)) }
    return selectors
  }

  /// `tasks`, an array of ids.
  func tasks() throws(DownloadError) -> [TaskID]? {
    guard let ids = try texts("tasks") else { return nil }
    var tasks: [TaskID] = []
    for text in ids {
      guard let id = DownloadTaskID(text) else { throw Self.wrong("tasks", "an array of ids, 16 digits each") }
      tasks.append(id.number)
    }
    return tasks
  }

  /// What a command reaches: `tasks`, an array of ids; `select`, an array of terms; `group`; or `session` with true.
  func reach(in session: DownloadSession) throws(DownloadError) -> DownloadReach {
    var found: [DownloadReach.Target] = []
    if let tasks = try tasks() { found.append(.tasks(tasks)) }
    if let selectors = try selectors() { found.append(.selection(selectors)) }
    if let group = try text("group") { found.append(.group(group)) }
    if try flag("session") { found.append(.session) }
    guard found.count == 1 else {
      throw DownloadError(
        .invalidValue, "a command needs one of \"tasks\", \"select\", \"group\" and \"session\": true")
    }
    return DownloadReach(session, found[0])
  }

  /// `first`, `last`, `{"before": ID}`, `{"after": ID}` or `{"group": NAME}`.
  func position(in session: DownloadSession) throws(DownloadError) -> QueuePosition {
    let value = json?["to"]
    func task(_ name: StaticString) -> DownloadTask? {
      value?[name]?.string.flatMap { DownloadTaskID($0) }.map { DownloadTask(id: $0, session: session) }
    }
    if value?.string == "first" { return .first }
    if value?.string == "last" { return .last }
    if let other = task("before") { return .before(other) }
    if let other = task("after") { return .after(other) }
    if let group = value?["group"]?.string { return .group(group) }
    throw Self.wrong("to", "\"first\", \"last\", or an object with before, after or group")
  }

  /// Objects of swiftget's own lists, with `out`, `dir`, `group`, `priority` and `settings`; the directory must be absolute,
  /// because the working directories of two processes differ. Each request, or what is wrong with it.
  func requests() throws(DownloadError) -> [Result<DownloadRequest, DownloadError>] {
    guard let elements = json?["requests"]?.elements else { throw Self.wrong("requests", "an array of objects") }
    guard elements.count <= Self.mostRequests else {
      throw DownloadError(.invalidValue, "one call adds at most \(Self.mostRequests) files")
    }
    let shared = try json?["settings"].map { (json) throws(DownloadError) in try DownloadSettings(given: json) }
    return elements.map { element in
      Result { () throws(DownloadError) in
        let request = try DownloadRequest(element, sharing: shared ?? DownloadSettings())
        if let directory = request.directory, !directory.hasPrefix("/") {
          throw DownloadError(.invalidRequest, "\"dir\" is an absolute path")
        }
        return request
      }
    }
  }

  static let mostRequests = 1000

  private static func wrong(_ name: StaticString, _ what: String) -> DownloadError {
    DownloadError(.invalidValue, "\"\(name)\" is \(what)")
  }
}

extension ControlError {
  /// What the library says, with the name of its error.
  init(_ error: DownloadError) {
    let code =
      switch error.code {
      case .invalidValue, .invalidRequest: -32602
      default: -32000
      }
    self.init(code, error.message, name: error.code.name)
  }
}

package import DownloadCore
package import DownloadJSON

/// Settings and limits as JSON. What is not assigned is missing, and what is given back to the next level is null.
///
/// Secrets are left out; `secrets` says which ones.
extension DownloadSettings {
  var json: JSONObject { json(withSecrets: false) }

  /// For the methods `set` and `add` of the protocol, with secrets.
  var controlText: JSONObject {
    var object = json(withSecrets: true)
    let hidden = (headers ?? []).filter(\.isSecret).map(\.name)
    if !hidden.isEmpty { object.add("secret_headers", hidden) }
    switch fields.credential {
    case .some(let credential?): object.add(credential)
    case .some(nil): object.add("user", String?.none)
    case nil: break
    }
    return object
  }

  /// Reads `controlText`; nil for anything else.
  init?(control json: JSONValue) {
    self.init(json: json)
    if let user = json["user"] {
      if !user.isNull, user.string == nil { return nil }
      credential = user.isNull ? nil : json.credential
    } else if let given = json.credential {
      credential = given
    }
    if let given = headers { headers = given.hiding(json["secret_headers"]) }
  }

  /// - Throws: `invalidValue` for anything but `controlText`.
  init(given json: JSONValue?) throws(DownloadError) {
    guard let settings = json.flatMap({ DownloadSettings(control: $0) }) else {
      throw DownloadError(.invalidValue, "\"settings\" is an object of settings")
    }
    self = settings
  }

  private func json(withSecrets: Bool) -> JSONObject {
    let fields = fields
    func shown(_ url: String) -> String { withSecrets ? url : StoredURL.withoutUserinfo(url) }
    var object = JSONObject()
    func add<Value>(_ key: String, _ value: Value??, _ body: (Value) -> [UInt8]?) {
      guard let value else { return }
      guard let value else { return object.add(key, String?.none) }
      if let text = body(value) { object.add(key, verbatim: text) }
    }
    add("connections", fields.connections) { Array(String($0).utf8) }
    add("bytes_per_second", fields.bytesPerSecond) { Array(String($0).utf8) }
    add("tries", fields.tries) { Array(String($0).utf8) }
    add("stall_timeout", fields.stallTimeout) { $0.jsonText }
    add("connect_timeout", fields.connectTimeout) { $0.jsonText }
    add("max_time", fields.maxTime) { $0.jsonText }
    add("headers", fields.headers) { JSONObject(fields: $0.filter { withSecrets || !$0.isSecret }).text }
    add("user_agent", fields.userAgent) { JSONObject.quoted($0) }
    add("proxy", fields.proxy) { JSONObject.quoted(shown($0)) }
    add("interface", fields.interface) { JSONObject.quoted($0) }
    add("accepted_statuses", fields.acceptedStatuses) { statuses in
      Array("[\(statuses.sorted().map(String.init).joined(separator: ","))]".utf8)
    }
    add("if_exists", fields.ifExists) { JSONObject.quoted($0.name) }
    add("timestamping", fields.timestamping) { Array(($0 ? "true" : "false").utf8) }
    add("umask", fields.umask) { JSONObject.quoted("0" + String($0, radix: 8)) }
    add("verify_command", fields.verifyCommand) { $0.placed.json.text }
    add("on_complete", fields.onComplete) { $0.json.text }
    add("on_failure", fields.onFailure) { $0.json.text }
    add("name_from", fields.nameSource) { JSONObject.quoted($0.rawValue) }
    add("url", fields.url) { JSONObject.quoted(shown($0)) }
    add("checksum", fields.checksum) { JSONObject.quoted($0.description) }
    add("name", fields.name) { JSONObject.quoted($0) }
    return object
  }

  /// What is left out of `json`.
  var secrets: [StoredNeed] {
    var needs: [StoredNeed] = []
    if let credential = fields.credential, credential != nil { needs.append(.user) }
    if let headers = fields.headers ?? nil { needs += headers.filter(\.isSecret).map { .header($0.name) } }
    if let proxy = fields.proxy ?? nil, StoredURL.hasUserinfo(proxy) { needs.append(.proxy) }
    if let url = fields.url ?? nil, StoredURL.hasUserinfo(url) { needs.append(.user) }
    return needs
  }

  /// Members that are not known are ignored; nil for a value of another type.
  init?(json: JSONValue) {
    self.init()
    var fields = Fields()
    var isRight = json.isObject
    func take<Value>(_ key: StaticString, _ field: inout Value??, _ body: (JSONValue) -> Value?) {
      if !json.assign(key, to: &field, body) { isRight = false }
    }
    take("connections", &fields.connections) { $0.integer.flatMap { Int(exactly: $0) } }
    take("bytes_per_second", &fields.bytesPerSecond) { $0.integer }
    take("tries", &fields.tries) { $0.integer.flatMap { Int(exactly: $0) } }
    take("stall_timeout", &fields.stallTimeout) { $0.duration }
    take("connect_timeout", &fields.connectTimeout) { $0.duration }
    take("max_time", &fields.maxTime) { $0.duration }
    take("headers", &fields.headers) { $0.headerFields }
    take("user_agent", &fields.userAgent) { $0.string }
    take("proxy", &fields.proxy) { $0.string }
    take("interface", &fields.interface) { $0.string }
    take("accepted_statuses", &fields.acceptedStatuses) { value in
      guard let elements = value.elements else { return nil }
      let statuses = elements.compactMap { $0.integer.flatMap { Int(exactly: $0) } }
      return statuses.count == elements.count ? Set(statuses) : nil
    }
    take("if_exists", &fields.ifExists) { value in value.string.flatMap { IfExists(name: $0) } }
    take("timestamping", &fields.timestamping) { $0.boolean }
    take("umask", &fields.umask) { value in
      value.string.flatMap { UInt32($0, radix: 8) }.flatMap { $0 <= 0o777 ? $0 : nil }
    }
    take("verify_command", &fields.verifyCommand) { PlacedCommand(json: $0).map { VerifyCommand($0) } }
    take("on_complete", &fields.onComplete) { PlacedCommand(json: $0) }
    take("on_failure", &fields.onFailure) { PlacedCommand(json: $0) }
    take("name_from", &fields.nameSource) { $0.string.flatMap { TargetSettings.NameSource(rawValue: $0) } }
    take("url", &fields.url) { $0.string }
    take("checksum", &fields.checksum) { $0.string.map { FileChecksum($0) } }
    take("name", &fields.name) { $0.string }
    guard isRight else { return nil }
    self.fields = fields
  }

  /// Nil for what is no JSON of settings.
  init?(text: String) {
    guard let json = JSONValue(text: text) else { return nil }
    self.init(json: json)
  }
}

extension DownloadLimits {
  /// For the method `limit` of the protocol.
  package var controlText: JSONObject { json }

  var json: JSONObject {
    var object = JSONObject()
    if let activeFiles { object.add("active_files", Int64(activeFiles)) }
    if let connections { object.add("connections", Int64(connections)) }
    if let bytesPerSecond { object.add("bytes_per_second", bytesPerSecond) }
    if let requestsPerSecond { object.add("requests_per_second", verbatim: Array(String(requestsPerSecond).utf8)) }
    return object
  }

  /// A null takes a limit away. Members that are not known are ignored; nil for a value of another type.
  package init?(json: JSONValue) {
    self.init()
    guard json.isObject else { return nil }
    var isRight = true
    func take<Value>(_ key: StaticString, _ field: inout Value??, _ body: (JSONValue) -> Value?) {
      if !json.assign(key, to: &field, body) { isRight = false }
    }
    take("active_files", &files) { $0.integer.flatMap { Int(exactly: $0) } }
    take("connections", &transfers) { $0.integer.flatMap { Int(exactly: $0) } }
    take("bytes_per_second", &rate) { $0.integer }
    take("requests_per_second", &requests) { $0.number }
    if !isRight { return nil }
  }

  /// Nil for what is no JSON of limits.
  init?(text: String) {
    guard let json = JSONValue(text: text) else { return nil }
    self.init(json: json)
  }
}

extension IfExists {
  /// As the option of the command names it.
  var name: String { engineValue.rawValue }

  init?(name: String) {
    let all: [IfExists] = [.ask, .keep, .verify, .replace, .fail]
    guard let found = all.first(where: { $0.name == name }) else { return nil }
    self = found
  }
}

extension PlacedCommand {
  fileprivate var json: JSONObject {
    var object = JSONObject()
    object.add("command", String(decoding: command.text, as: UTF8.self))
    object.add("directory", String(decoding: directory, as: UTF8.self))
    return object
  }

  fileprivate init?(json: JSONValue) {
    guard let text = json["command"]?.string, let words = try? CommandWords(text: Array(text.utf8)),
      let directory = json["directory"]?.string, directory.hasPrefix("/")
    else { return nil }
    self.init(words, in: Array(directory.utf8))
  }
}

extension JSONObject {
  var string: String { String(decoding: text, as: UTF8.self) }

  /// Header fields by their names; those of one name are an array.
  package init(fields: [HeaderField]) {
    self.init()
    var names: [String] = []
    for field in fields where !names.contains(field.name) { names.append(field.name) }
    for name in names {
      add(name, oneOrMore: fields.filter { $0.name == name }.map { JSONObject.quoted($0.value) })
    }
  }

  /// What a caller has given a task.
  init(info: [String: String]) {
    self.init()
    for (name, value) in info.sorted(by: { $0.key < $1.key }) { add(name, value) }
  }

  /// Adds the members that `JSONValue.credential` reads.
  mutating func add(_ credential: DownloadCredential) {
    switch credential {
    case .user(let name, let password):
      add("user", name)
      add("password", password)
    case .bearer(let token): add("bearer", token)
    }
  }
}

extension [HeaderField] {
  /// - Parameter names: an array of names of fields whose values are secret.
  func hiding(_ names: JSONValue?) -> [HeaderField] {
    let hidden = Set(names?.elements?.compactMap { $0.string?.lowercased() } ?? [])
    return map { hidden.contains($0.name.lowercased()) ? HeaderField($0.name, secret: $0.value) : $0 }
  }
}

extension JSONValue {
  /// Nil for what is no JSON.
  init?(text: String) {
    guard case .success(let value) = Self.parse(Array(text.utf8)[...]) else { return nil }
    self = value
  }

  /// Takes over a member, if there is one; null is an assigned nil.
  ///
  /// - Returns: false for a value of another type.
  fileprivate func assign<Value>(
    _ key: StaticString, to field: inout Value??, _ body: (JSONValue) -> Value?
  ) -> Bool {
    guard let value = self[key] else { return true }
    let read = value.isNull ? nil : body(value)
    if value.isNull || read != nil { field = .some(read) }
    return value.isNull || read != nil
  }

  var string: String? { text.map { String(decoding: $0, as: UTF8.self) } }

  /// A number of seconds.
  var duration: Duration? {
    if let integer { return abs(integer) < 1 << 60 ? .seconds(integer) : nil }
    guard let number, number.magnitude < 9e9 else { return nil }
    return .nanoseconds(Int64((number * 1e9).rounded()))
  }

  /// Of the members of an object; nil if it has none.
  var credential: DownloadCredential? {
    if let user = self["user"]?.string { return .user(user, password: self["password"]?.string ?? "") }
    return self["bearer"]?.string.map { .bearer(token: $0) }
  }

  /// The members that are texts.
  var info: [String: String] {
    var info: [String: String] = [:]
    for (name, value) in members { info[String(decoding: name, as: UTF8.self)] = value.string }
    return info
  }

  var headerFields: [HeaderField]? {
    guard isObject else { return nil }
    var fields: [HeaderField] = []
    for (name, value) in members {
      let values = value.elements.map { Array($0) } ?? [value]
      for value in values {
        guard let text = value.string else { return nil }
        fields.append(HeaderField(String(decoding: name, as: UTF8.self), text))
      }
    }
    return fields
  }
}

extension Duration {
  /// Seconds, to the nanosecond.
  fileprivate var jsonText: [UInt8] {
    let (seconds, attoseconds) = components
    if attoseconds == 0 { return Array(String(seconds).utf8) }
    return Array(String(Double(seconds) + Double(attoseconds / 1_000_000_000) / 1e9).utf8)
  }
}

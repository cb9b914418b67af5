package import DownloadCore
package import DownloadJSON

/// An error of a call (JSON-RPC 2.0, section 5.1).
package struct ControlError: Error, Hashable, Sendable {
  package let code: Int
  package let message: String
  /// The name of the error in the vocabulary of events, for programs.
  package let name: String?

  package init(_ code: Int, _ message: String, name: String? = nil) {
    self.code = code
    self.message = message
    self.name = name
  }

  static let notJSON = ControlError(-32700, "the line is no JSON object")
  static let notRequest = ControlError(
    -32600, "the line is no request: it needs \"jsonrpc\": \"2.0\" and a \"method\"")
  static let lineTooLong = ControlError(-32600, "a line is longer than 4 MiB")

  package static func unknownMethod(_ name: String) -> ControlError {
    ControlError(-32601, "no method is named \(name); `methods` lists them")
  }

  package static func invalidParameter(_ message: String) -> ControlError { ControlError(-32602, message) }

  static let needsHello = ControlError(-32001, "the first call is hello {\"protocol\": \(ControlProtocol.version)}")
  static let tooManyClients = ControlError(
    -32002, "\(ControlProtocol.mostClients) clients are connected; close one of them")
  static let otherUser = ControlError(-32003, "the session belongs to another user")

  package static func tooManyCalls(_ limit: Int) -> ControlError {
    ControlError(-32005, "\(limit) calls of this client have no answer yet; wait for some")
  }

  static func otherProtocol(_ version: Int64) -> ControlError {
    ControlError(
      -32004, "the client speaks protocol \(version), and this program protocol \(ControlProtocol.version)")
  }

  fileprivate var json: JSONObject {
    var object = JSONObject()
    object.add("code", Int64(code))
    object.add("message", message)
    if let name {
      var data = JSONObject()
      data.add("error", name)
      object.add("data", data)
    }
    return object
  }
}

/// What both ends have agreed on.
package enum ControlProtocol {
  package static let version: Int64 = 1
  package static let longestLine = 4 << 20
  package static let mostClients = 32
  /// Bytes that wait for a client; beyond them it gets no news, and its calls are not read.
  package static let mostUnread = 4 << 20
  /// Until a client that does not read is closed.
  package static let longestUnread: Duration = .seconds(60)
}

/// A call of a client: one line.
package struct ControlRequest: Sendable {
  /// The JSON text of `id`; nil if no answer is wanted.
  package let id: [UInt8]?
  package let method: String
  /// The object `params`; nil without any.
  package let parameters: JSONValue?

  init(line: [UInt8]) throws(ControlError) {
    guard line.contains(where: { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }),
      case .success(let value) = JSONValue.parse(line[...]), value.isObject
    else { throw .notJSON }
    guard value["jsonrpc"]?.text.map({ $0.elementsEqual("2.0".utf8) }) == true,
      let method = value["method"]?.text, let id = Self.text(ofID: value["id"])
    else { throw .notRequest }
    let parameters = value["params"]
    if let parameters, !parameters.isObject { throw .invalidParameter("\"params\" is an object of names and values") }
    self.id = value["id"] == nil ? nil : id
    self.method = String(decoding: method, as: UTF8.self)
    self.parameters = parameters
  }

  /// `null` without one; nil if the value cannot be an id.
  private static func text(ofID value: JSONValue?) -> [UInt8]? {
    guard let value, !value.isNull else { return Array("null".utf8) }
    return value.integer.map { Array(String($0).utf8) } ?? value.text.map { JSONObject.quoted($0) }
  }

  /// The id of a line that is no request; `null` if it has none (JSON-RPC 2.0, section 5).
  static func id(ofFailed line: [UInt8]) -> [UInt8] {
    let value = try? JSONValue.parse(line[...]).get()
    return text(ofID: value?["id"]) ?? Array("null".utf8)
  }

  /// The line of a call.
  package static func line(id: Int64?, method: String, parameters: JSONObject?) -> [UInt8] {
    var object = JSONObject()
    object.add("jsonrpc", "2.0")
    if let id { object.add("id", id) }
    object.add("method", method)
    if let parameters { object.add("params", parameters) }
    return object.line
  }
}

/// What a client gets: the answer to a call, or news.
package enum ControlReply: Sendable {
  case answer(id: Int64?, Result<JSONValue, ControlError>)
  case news(method: String, JSONValue)

  /// Nil if the line is none of these.
  init?(line: [UInt8]) {
    guard case .success(let value) = JSONValue.parse(line[...]), value.isObject else { return nil }
    if let method = value["method"]?.text, let parameters = value["params"] {
      self = .news(method: String(decoding: method, as: UTF8.self), parameters)
    } else if let error = value["error"], let code = error["code"]?.integer, let message = error["message"]?.text {
      self = .answer(
        id: value["id"]?.integer,
        .failure(
          ControlError(
            Int(code), String(decoding: message, as: UTF8.self),
            name: error["data"]?["error"]?.text.map { String(decoding: $0, as: UTF8.self) })))
    } else if let result = value["result"] {
      self = .answer(id: value["id"]?.integer, .success(result))
    } else {
      return nil
    }
  }

  /// - Parameters:
  ///   - id: JSON text.
  ///   - result: JSON text.
  static func line(id: [UInt8], _ result: Result<[UInt8], ControlError>) -> [UInt8] {
    var object = JSONObject()
    object.add("jsonrpc", "2.0")
    object.add("id", verbatim: id)
    switch result {
    case .success(let text): object.add("result", verbatim: text)
    case .failure(let error): object.add("error", error.json)
    }
    return object.line
  }

  static func line(news method: String, _ parameters: JSONObject) -> [UInt8] {
    ControlRequest.line(id: nil, method: method, parameters: parameters)
  }
}

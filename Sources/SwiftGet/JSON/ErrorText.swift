internal import DownloadControl
internal import DownloadCore
internal import DownloadJSON

/// Errors as JSON.
extension DownloadError {
  var json: JSONObject {
    let fields = fields.value
    var object = JSONObject()
    object.add("error", fields.code.name)
    object.add("message", fields.message)
    if let hint = fields.hint { object.add("hint", hint) }
    if let url = fields.url { object.add("url", url) }
    if let path = fields.path { object.add("path", path) }
    if let status = fields.httpStatus { object.add("http_status", Int64(status)) }
    if let errno = fields.errno { object.add("errno", Int64(errno)) }
    object.add("retryable", fields.isRetryable)
    if let cause = fields.cause { object.add("cause", cause.json) }
    return object
  }

  /// Nil for what is no error.
  init?(json: JSONValue) {
    guard let code = json["error"]?.string.flatMap({ Code(name: $0) }), let message = json["message"]?.string else {
      return nil
    }
    self.init(
      Fields(
        code: code, cause: json["cause"].flatMap { Cause(json: $0) }, message: message, hint: json["hint"]?.string,
        url: json["url"]?.string, path: json["path"]?.string,
        httpStatus: json["http_status"]?.integer.flatMap { Int(exactly: $0) },
        errno: json["errno"]?.integer.flatMap { Int32(exactly: $0) },
        isRetryable: json["retryable"]?.boolean ?? false))
  }
}

extension DownloadError {
  /// What another process has refused.
  init(refusal: ControlError) {
    self.init(refusal.name.flatMap { Code(name: $0) } ?? .other, refusal.message)
  }
}

extension DownloadError.Code {
  /// The name in small letters with underscores: `disk_full`.
  package var name: String {
    var name = ""
    var wasSmall = false
    for letter in rawValue {
      if letter.isUppercase, wasSmall { name.append("_") }
      name += letter.lowercased()
      wasSmall = letter.isLowercase
    }
    return name
  }

  package init?(name: String) {
    guard let code = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = code
  }
}

extension DownloadError.Cause {
  fileprivate var json: JSONObject {
    var object = JSONObject()
    switch self {
    case .systemCall(let call, let errno):
      object.add("call", call)
      object.add("errno", Int64(errno))
    case .noSpace(let needed, let free):
      if let needed { object.add("needed", needed) }
      object.add("free", free)
    case .checksumMismatch(let expected, let found):
      object.add("expected", expected.description)
      object.add("found", found.description)
    case .heldTarget(let process): object.add("held_by", process.map(Int64.init))
    case .status(let status): object.add("http_status", Int64(status))
    }
    return object
  }

  fileprivate init?(json: JSONValue) {
    if let call = json["call"]?.string, let errno = json["errno"]?.integer {
      self = .systemCall(call, errno: Int32(clamping: errno))
    } else if let free = json["free"]?.integer {
      self = .noSpace(needed: json["needed"]?.integer, free: free)
    } else if let expected = json["expected"]?.string, let found = json["found"]?.string {
      self = .checksumMismatch(expected: FileChecksum(expected), found: FileChecksum(found))
    } else if let holder = json["held_by"] {
      self = .heldTarget(process: holder.integer.map { Int32(clamping: $0) })
    } else if let status = json["http_status"]?.integer {
      self = .status(Int(status))
    } else {
      return nil
    }
  }
}

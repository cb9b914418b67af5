import DownloadCore

/// Counts failures of each kind, so that thousands of the same do not bury the rest.
struct FailureTally {
  /// Failures of one kind that are printed one by one.
  static let mostPrinted = 20

  private var counts: [FailureKind: Int] = [:]
  /// Kinds in the order of their first failure.
  private var kinds: [FailureKind] = []

  /// Counts the failure.
  /// - Returns: whether it is one of those that are printed.
  mutating func admits(_ error: DownloadError) -> Bool {
    let kind = FailureKind(error)
    let count = (counts[kind] ?? 0) + 1
    counts[kind] = count
    if count == 1 { kinds.append(kind) }
    return count <= Self.mostPrinted
  }

  /// A line for each kind of which failures were not printed.
  var summary: String {
    var text = ""
    for kind in kinds {
      let more = (counts[kind] ?? 0) - Self.mostPrinted
      guard more > 0 else { continue }
      text += Diagnostic(message: "\(more) more \(more == 1 ? "file" : "files") failed: \(kind.words)").text
    }
    return text
  }
}

/// What failures that a person would count as the same have in common.
struct FailureKind: Hashable {
  let code: FailureCode
  /// Without facts of one file, such as its URL, digest or size.
  let words: String

  init(_ error: DownloadError) {
    code = error.code
    words = Self.words(error.cause) ?? Self.words(error.code)
  }

  /// For causes that are common in large runs; nil for the others.
  private static func words(_ cause: DownloadError.Cause) -> String? {
    switch cause {
    case .local(let failure): SystemMessages.reason(failure.errno)
    case .transfer(let fault, _, _): words(fault)
    default: nil
    }
  }

  private static func words(_ fault: TransferFault) -> String? {
    switch fault {
    case .status(let code), .expiredRedirect(let code): FaultMessages.message(.status(code))
    case .nameLookup: "name lookup failed"
    case .connectRefused: "connection refused"
    case .connectTimeout: "connection timed out"
    case .connectFailed: "cannot connect"
    case .tlsHandshake: "TLS handshake failed"
    case .stalled: "no data received within --timeout"
    case .wrongLength: "the size differs from the list"
    case .tooLarge: "larger than --max-filesize"
    case .proxy, .proxyStatus: "the proxy refused or failed"
    default: nil
    }
  }

  private static func words(_ code: FailureCode) -> String {
    switch code {
    case .usage: "the request is invalid"
    case .localIO: "local file error"
    case .diskFull: "not enough space"
    case .network: "connection lost or no usable response"
    case .tls: "TLS verification failed"
    case .authentication: "credentials are missing or refused"
    case .protocolViolation: "invalid response from the server"
    case .serverRefused: "the server refused the request"
    case .integrity: "the content does not match"
    case .locked: "another swiftget is downloading them"
    case .deadline: "not finished within --max-time"
    case .interrupted: "interrupted"
    case .other: "another failure"
    }
  }
}

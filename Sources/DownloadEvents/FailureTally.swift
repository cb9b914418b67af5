package import DownloadCore
internal import DownloadWords

/// Groups failures by their kind, so that thousands of the same do not bury the rest.
///
/// Memory: bounded by the number of kinds, of which each has a few names here and a block of `StoredStrings`.
package struct FailureTally {
  /// Failures of one kind that are printed one by one.
  static let mostPrinted = 20
  /// The first names of each kind, which are here even if all others are lost.
  package static let mostNamed = 10
  /// Kinds that are told in the last lines, those with the most failures.
  package static let mostKinds = 20

  /// Failures of one kind.
  package struct Group: Equatable {
    package let kind: FailureKind
    package fileprivate(set) var count = 0
    /// The first ones, in raw bytes.
    package fileprivate(set) var names: [[UInt8]] = []

    fileprivate init(_ kind: FailureKind) { self.kind = kind }
  }

  /// In the order of their first failure.
  private var groups: [Group] = []
  private var indices: [FailureKind: Int] = [:]
  private let store: (any ByteStore)?
  /// The names of each group that are not in `groups`; empty without a store.
  private var others: [StoredStrings] = []

  /// - Parameter store: for names beyond the first ones; nil where these are not wanted.
  package init(_ store: (any ByteStore)? = nil) { self.store = store }

  /// Counts the failure of a file.
  /// - Returns: whether it is one of those that are printed.
  package mutating func admits(_ error: Failure, of name: [UInt8]) -> Bool {
    let kind = FailureKind(error)
    let index = indices[kind] ?? groups.count
    if index == groups.count {
      indices[kind] = index
      groups.append(Group(kind))
      if let store { others.append(StoredStrings(store)) }
    }
    groups[index].count += 1
    if groups[index].names.count < Self.mostNamed {
      groups[index].names.append(name)
    } else if !others.isEmpty {
      others[index].append(name)
    }
    return groups[index].count <= Self.mostPrinted
  }

  package var count: Int { groups.reduce(0) { $0 + $1.count } }

  /// The groups with the most failures first. Of equal ones, the one that began first.
  package var ranked: [Group] {
    groups.enumerated().sorted { ($1.element.count, $0.offset) < ($0.element.count, $1.offset) }
      .map(\.element)
  }

  /// Hands out the names of a group in the order of their failures, until `take` returns false. Where the store is lost,
  /// these are the first ones.
  package func readNames(of group: Group, _ take: ([UInt8]) -> Bool) {
    for name in group.names { guard take(name) else { return } }
    guard let index = indices[group.kind], !others.isEmpty else { return }
    others[index].visit { take(Array($1)) }
  }
}

/// What failures that a person would count as the same have in common.
package struct FailureKind: Hashable {
  let code: FailureCode
  /// Without facts of one file, such as its URL, digest or size.
  package let words: String

  init(_ error: Failure) {
    code = error.code
    words = Self.words(error.cause) ?? Self.words(error.code)
  }

  /// For causes that are common in large runs; nil for the others.
  private static func words(_ cause: Failure.Cause) -> String? {
    switch cause {
    case .local(let failure): SystemMessages.reason(failure.errno)
    case .transfer(let fault, _, _, _): words(fault)
    case .targetTaken: ErrorMessages.message(cause)
    case .targetDiffers: "the file already exists with another size"
    case .targetOfOtherURL: "the file already exists from another URL"
    case .answerUnidentified: ErrorMessages.message(cause)
    case .keepsChanging: "the file keeps changing on the server"
    case .rejected: "the verify command rejects the file"
    case .changedByJudge, .unjudged: ErrorMessages.message(cause)
    default: nil
    }
  }

  private static func words(_ fault: TransferFault) -> String? {
    switch fault {
    case .status(let code), .rateLimited(let code), .expiredRedirect(let code): FaultMessages.message(.status(code))
    case .nameLookup, .unknownHost: "name lookup failed"
    case .connectRefused: "connection refused"
    case .connectTimeout: "connection timed out"
    case .connectFailed: "cannot connect"
    case .tlsHandshake: "TLS handshake failed"
    case .stalled: "no data received within the stall timeout"
    case .wrongLength: "the size differs from the list"
    case .tooLarge: "larger than the limit"
    case .tooManyRedirects: "too many redirects"
    case .redirectRefused, .insecureRedirect: "redirect refused"
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
    case .deadline: "not finished within the time limit"
    case .interrupted: "interrupted"
    case .other: "another failure"
    }
  }
}

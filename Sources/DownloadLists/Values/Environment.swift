internal import Glibc

/// The variables of the environment, in raw bytes.
package struct Environment: Sendable {
  private let lookUp: @Sendable (String) -> [UInt8]?

  package init(_ variables: [String: String] = [:]) { lookUp = { name in variables[name].map { Array($0.utf8) } } }

  package init(lookUp: @escaping @Sendable (String) -> [UInt8]?) { self.lookUp = lookUp }

  /// That of the process.
  package static let process = Environment { name in
    getenv(name).map { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
  }

  /// Nil where the variable is not set, or empty.
  package subscript(name: String) -> [UInt8]? { value(name).flatMap { $0.isEmpty ? nil : $0 } }

  /// Nil where the variable is not set.
  func value(_ name: String) -> [UInt8]? { lookUp(name) }
}

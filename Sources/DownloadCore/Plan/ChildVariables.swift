/// The environment variables by which commands of the user learn about a file or a run: `SWIFTGET_`*NAME*.
package struct ChildVariables: Sendable {
  /// `NAME=VALUE`, without NUL.
  package private(set) var entries: [[UInt8]] = []

  package init() {}

  /// - Parameter value: nil leaves the variable out.
  package mutating func add(_ name: String, _ value: String?) { add(name, value.map { Array($0.utf8) }) }

  package mutating func add(_ name: String, _ value: [UInt8]?) {
    guard let value, !value.contains(0) else { return }
    entries.append(Array("SWIFTGET_\(name)=".utf8) + value)
  }
}

internal import CSwiftGetShims
internal import Glibc

/// Extended attributes of files, by their whole names.
package enum Attributes {
  /// - Returns: false where the file system does not take it.
  package static func set(_ name: String, _ value: [UInt8], of path: String) -> Bool {
    with(path) { file_fsetxattr($0, name, value, value.count) } == 0
  }

  /// Nil where there is none.
  package static func get(_ name: String, of path: String) -> [UInt8]? {
    var value = [UInt8](repeating: 0, count: 4096)
    let count = with(path) { file_fgetxattr($0, name, &value, value.count) }
    return count < 0 ? nil : Array(value[..<count])
  }

  private static func with(_ path: String, _ body: (Int32) -> Int) -> Int {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return -1 }
    defer { close(descriptor) }
    return body(descriptor)
  }

  /// The value of an access control list with entries for the owner, the group, the user 1234, the mask and others.
  ///
  /// - Parameter bits: an octal digit for each.
  package static func accessList(_ bits: String) -> [UInt8] {
    var value: [UInt8] = [2, 0, 0, 0]
    let entries: [(tag: UInt8, id: UInt32)] = [(1, .max), (2, 1234), (4, .max), (16, .max), (32, .max)]
    for (entry, digit) in zip(entries, bits) {
      value += [entry.tag, 0, UInt8(String(digit)) ?? 0, 0]
      value += (0..<4).map { UInt8(truncatingIfNeeded: entry.id >> (8 * $0)) }
    }
    return value
  }
}

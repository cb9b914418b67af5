/// Paths that stand for descriptors of the process, and not for files: `/dev/stdout`, `/dev/fd/3`, `/proc/self/fd/3`.
///
/// Opening such a path opens the file behind it anew, with another offset. Replacing it destroys it.
package enum DescriptorPath {
  /// Nil for the path of a file.
  ///
  /// - Parameter path: an absolute one.
  package static func descriptor(of path: [UInt8]) -> Int32? {
    guard path.first == slash else { return nil }
    let names = path.split(separator: slash).filter { $0 != [UInt8(ascii: ".")] }.map {
      String(decoding: $0, as: UTF8.self)
    }
    switch names.count {
    case 2 where names[0] == "dev": return streams[names[1]]
    case 3 where names[0] == "dev" && names[1] == "fd": return number(names[2])
    case 4 where names[0] == "proc" && ["self", "thread-self"].contains(names[1]) && names[2] == "fd":
      return number(names[3])
    default: return nil
    }
  }

  private static func number(_ digits: String) -> Int32? {
    digits.utf8.allSatisfy(\.isDigit) ? Int32(digits) : nil
  }

  private static let streams: [String: Int32] = ["stdin": 0, "stdout": 1, "stderr": 2]
  private static let slash = UInt8(ascii: "/")
}

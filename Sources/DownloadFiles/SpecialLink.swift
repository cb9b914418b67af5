internal import CSwiftGetShims
internal import Glibc

/// Symbolic links to pipes, devices and descriptors, such as `/dev/stdout`. A file of their name would destroy them.
package enum SpecialLink {
  /// - Parameters:
  ///   - directory: a descriptor.
  ///   - name: of a symbolic link in it.
  package static func isOne(_ directory: Int32, _ name: [UInt8]) -> Bool {
    let text = name.map(CChar.init(bitPattern:)) + [0]
    var target = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlinkat(directory, text, &target, target.count)
    // Behind a descriptor there may be a regular file, too.
    if count > 0, target.prefix(count).map(UInt8.init(bitPattern:)).starts(with: "/proc/".utf8) { return true }
    var status = stat()
    return fstatat(directory, text, &status, 0) == 0 && ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
  }
}

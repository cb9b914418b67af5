import Glibc
import TestSupport

@testable import DownloadCore
@testable import DownloadFiles

extension SurvivingDisk {
  /// Makes the surviving files for real, in an empty directory; other names of one file become links to it.
  ///
  /// - Parameter isRebooted: whether the sidecars are to look as if they came from an earlier start of the machine.
  func materialize(in target: TemporaryDirectory, isRebooted: Bool) throws {
    var made: [DiskModel.NodeID: String] = [:]
    try materialize(DiskModel.rootNode, target.path, isRebooted, &made)
  }

  private func materialize(
    _ directory: DiskModel.NodeID, _ path: String, _ isRebooted: Bool, _ made: inout [DiskModel.NodeID: String]
  ) throws {
    for (name, node) in names(in: directory) {
      let path = "\(path)/\(name)"
      if model.directory(node) != nil {
        guard mkdir(path, 0o755) == 0 else { throw TestSupportError("mkdir \(path): \(errno)") }
        try materialize(node, path, isRebooted, &made)
      } else if let first = made[node] {
        guard Glibc.link(first, path) == 0 else { throw TestSupportError("link \(path): \(errno)") }
      } else if let file = model.file(node) {
        made[node] = path
        try SurvivingFile(file, survival.onFile(name), key: UInt64(node) << 32)
          .materialize(path, isRebooted: isRebooted && name.hasSuffix(".swiftget"))
      }
    }
  }
}

extension SurvivingFile {
  fileprivate func materialize(_ path: String, isRebooted: Bool) throws {
    let file = try SystemCalls.openat(SystemCalls.workingDirectory, Array(path.utf8), O_RDWR | O_CREAT, mode: 0o600)
    let bytes = bytes(0..<size)
    try SystemCalls.pwriteAll(file.raw, isRebooted ? Self.rebooted(bytes) : bytes, at: 0)
    for name in AttributeName.allCases {
      if let value = attributes[name.rawValue] { try SystemCalls.fsetxattr(file.raw, name, value) }
    }
    try SystemCalls.fchmod(file.raw, mode: mode)
    if let modified { try SystemCalls.futimens(file.raw, modified: modified) }
  }

  /// The same sidecar, written before the machine was started last.
  private static func rebooted(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    for slot in 0..<2 {
      let start = min(slot * SidecarSlot.byteCount, bytes.count)
      let end = min(start + SidecarSlot.byteCount, bytes.count)
      guard case .record(var record, let isSynced) = SidecarSlot.decode(bytes[start..<end]) else { continue }
      record.bootID = String(record.bootID.reversed())
      let encoded = SidecarSlot.encode(record, isSynced: isSynced)
      bytes.replaceSubrange(start..<start + encoded.count, with: encoded)
    }
    return bytes
  }
}

internal import DownloadCore
internal import DownloadFiles

extension PartFile {
  /// Hashes the first bytes of a range that is written, as many as fit into `block`.
  ///
  /// - Returns: their end.
  /// - Throws: also if the file is shorter: another process has truncated it.
  func hash(
    _ range: Range<Int64>, into computer: DigestComputer, _ block: UnsafeMutableRawBufferPointer
  ) throws(SystemCallError) -> Int64 {
    let wanted = Int(min(Int64(block.count), range.upperBound - range.lowerBound))
    let count = try read(into: UnsafeMutableRawBufferPointer(rebasing: block[..<wanted]), at: range.lowerBound)
    guard count == wanted else { throw SystemCallError(.pread, 5) }
    computer.update(UnsafeRawBufferPointer(rebasing: block[..<count]))
    return range.lowerBound + Int64(count)
  }
}

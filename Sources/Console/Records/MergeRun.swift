import DownloadCore
import DownloadEngine
import Glibc
import LocalFiles

/// Makes one report of several (`--merge-reports`). Their items wait in an unnamed file until all are known to be right.
struct MergeRun {
  private let order: MergeOrder
  private let output: Output
  private let signals: SignalWatch

  init(_ order: MergeOrder, _ output: Output, _ signals: SignalWatch) {
    self.order = order
    self.output = output
    self.signals = signals
  }

  /// - Throws: why nothing is written: usage errors name a file and what is wrong with it.
  func run() throws(DownloadError) {
    let spool: TextSpool
    do throws(FileFailure) {
      spool = if let path = order.output { try TextSpool(beside: path) } else { try TextSpool.temporary() }
    } catch { throw LocalFileMessages.error(error) }
    var merged: ReportHead?
    for file in order.files {
      guard let head = try read(file, into: spool) else { return }
      if merged == nil { merged = head } else { try merged?.merge(head, from: file) }
    }
    guard let merged else { return }
    do throws(FileFailure) {
      if order.output != nil {
        try spool.replaceFile(beginning: merged.text, end: ReportText.end, syncs: order.syncs)
      } else {
        output.write(merged.text)
        try spool.copy { output.write($0) }
        output.write(ReportText.end)
      }
    } catch { throw LocalFileMessages.error(error) }
  }

  /// - Returns: nil if a signal came first.
  private func read(_ path: [UInt8], into spool: TextSpool) throws(DownloadError) -> ReportHead? {
    let file = try opened(path)
    var reader = ReportReader()
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 1)
    defer { block.deallocate() }
    while true {
      signals.take()
      if signals.ending != nil { return nil }
      let got = Glibc.read(file.descriptor, block.baseAddress!, block.count)
      if got < 0, errno == EINTR { continue }
      guard got >= 0 else {
        throw DownloadError(.localIO, "cannot read the report \(shown(path)): \(SystemMessages.reason(errno))")
      }
      do throws(ReportProblem) {
        if got == 0 { return try reader.finish() }
        try reader.append(UnsafeRawBufferPointer(rebasing: block[..<got])) { spool.append(item: $0) }
      } catch { throw ReportMessages.error(shown(path), error) }
    }
  }

  private func opened(_ path: [UInt8]) throws(DownloadError) -> OpenFile {
    if path == [UInt8(ascii: "-")] { return OpenFile(STDIN_FILENO, closes: false) }
    let descriptor = path.withCString { open($0, O_RDONLY | O_CLOEXEC | O_NOCTTY) }
    guard descriptor >= 0 else {
      throw DownloadError(.usage, "cannot open the report \(shown(path)): \(SystemMessages.reason(errno))")
    }
    return OpenFile(descriptor)
  }

  private func shown(_ path: [UInt8]) -> String {
    path == [UInt8(ascii: "-")] ? "of standard input" : NamedFiles.shown(path)
  }
}

extension ReportHead {
  /// Adds what another report says.
  ///
  /// - Throws: a usage error where the sums do not fit into 64 bits.
  fileprivate mutating func merge(_ other: ReportHead, from path: [UInt8]) throws(DownloadError) {
    // The times have one form and length.
    started = min(started, other.started)
    ended = max(ended, other.ended)
    status = ExitStatus.merged(status, other.status)
    for option in other.options where !options.contains(option) { options.append(option) }
    guard totals.add(other.totals), invalid.add(other.invalid) else {
      throw DownloadError(.usage, "the report \(NamedFiles.shown(path)): its totals are too large to be added")
    }
  }
}

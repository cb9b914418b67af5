package import DownloadCore
internal import DownloadWords
internal import Glibc

/// Small files that are read whole: keys, signatures, cookies and netrc files.
package enum SmallFiles {
  /// Reads a file, which may be a pipe.
  ///
  /// - Parameters:
  ///   - option: that asks for the file, for errors.
  ///   - inputs: note the file; nil for one that decides nothing about the files of the run.
  ///   - mostBytes: ends an endless device; a longer file is refused.
  ///   - tooLong: the error for a longer file; nil for one that states the limit.
  /// - Returns: nil where there is no such file.
  /// - Throws: a usage error that names the file and shows none of its content.
  package static func readIfPresent(
    _ path: [UInt8], of option: Phrase, notedIn inputs: DecidingInputs?, mostBytes: Int, tooLong: Failure? = nil
  ) throws(Failure) -> [UInt8]? {
    do throws(Fault) { return try read(path, notedIn: inputs, mostBytes: mostBytes) } catch {
      switch error {
      case .failed(ENOENT): return nil
      case .failed(let errno): throw NamedFiles.failure(.read, path, of: option, errno)
      case .tooLong:
        throw tooLong
          ?? Failure(
            .usage, words: "\(option): \(NamedFiles.shown(path)) has more than \(mostBytes) bytes",
            hint: "check that this is the right file")
      }
    }
  }

  package enum Fault: Error {
    case failed(Int32)
    case tooLong
  }

  /// Reads a file, which may be a pipe and must exist.
  package static func read(_ path: [UInt8], notedIn inputs: DecidingInputs?, mostBytes: Int) throws(Fault) -> [UInt8] {
    inputs?.note(file: path)
    let descriptor = path.withCString { open($0, O_RDONLY | O_CLOEXEC | O_NOCTTY) }
    guard descriptor >= 0 else { throw .failed(errno) }
    defer { close(descriptor) }
    return try read(descriptor: descriptor, mostBytes: mostBytes)
  }

  /// Reads an open file to its end.
  package static func read(descriptor: Int32, mostBytes: Int) throws(Fault) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      // A directory gives EISDIR.
      guard count >= 0 else { throw .failed(errno) }
      if count == 0 { return bytes }
      bytes += buffer[..<count]
      if bytes.count > mostBytes { throw .tooLong }
    }
  }
}

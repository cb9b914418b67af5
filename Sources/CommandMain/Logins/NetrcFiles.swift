internal import DownloadCore
internal import DownloadLists
internal import DownloadWords
internal import Glibc

/// The netrc files of a run, read before it starts.
enum NetrcFiles {
  /// More than any netrc file has; ends an endless device.
  private static let mostBytes = 1 << 20

  /// Those of the run and of hosts, with their options and paths. There is none for a user without a home directory.
  static func named(by settings: RunSettings) -> [(place: NetrcPlace, option: String, path: [UInt8])] {
    ([settings.secrets.netrc] + settings.transport.hosts.rules.map(\.settings.netrc)).compactMap { place in
      switch place {
      case nil: nil
      case .usual: usualPath.map { (.usual, "--netrc", $0) }
      case .named(let file): (.named(file), "--netrc-file", Array(file.utf8))
      }
    }
  }

  /// Reads each file once, because it may be a pipe.
  ///
  /// - Returns: nothing for `~/.netrc` where there is no such file.
  /// - Throws: a usage error that names the file and the line, and shows none of its content.
  static func read(for settings: RunSettings) throws(Failure) -> [NetrcPlace: NetrcFile] {
    var files: [NetrcPlace: NetrcFile] = [:]
    for (place, option, path) in named(by: settings) where files[place] == nil {
      guard let bytes = try read(path, of: option, mayLack: place == .usual) else { continue }
      do { files[place] = try NetrcFile(bytes) } catch {
        let (what, hint) = words(error.kind)
        throw Failure(
          .usage, "\(option): \(NamedFiles.shown(path)), line \(error.line): \(what)", hint: hint, about: [option])
      }
    }
    return files
  }

  private static func read(_ path: [UInt8], of option: String, mayLack: Bool) throws(Failure) -> [UInt8]? {
    do throws(SmallFiles.Fault) { return try SmallFiles.read(path, notedIn: nil, mostBytes: mostBytes) } catch {
      switch error {
      case .failed(ENOENT) where mayLack, .failed(ENOTDIR) where mayLack: return nil
      case .failed(let errno): throw NamedFiles.failure(.read, path, of: Phrase(option), errno)
      case .tooLong:
        throw Failure(
          .usage, "\(option): \(NamedFiles.shown(path)) is too large for a netrc file",
          hint: "check that this is the right file", about: [option])
      }
    }
  }

  /// The path of `~/.netrc`; nil for a user without a home directory.
  private static var usualPath: [UInt8]? {
    let home =
      Environment.process["HOME"]
      ?? getpwuid(geteuid())?.pointee.pw_dir.map { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
    return home.map { $0 + Array("/.netrc".utf8) }
  }

  /// What is wrong with a file, and what to do.
  private static func words(_ kind: NetrcFile.Problem.Kind) -> (what: String, hint: String) {
    let quoting = "put a value with blanks in quotation marks, \\\" for one in it and \\\\ for a backslash"
    switch kind {
    case .unknownWord:
      let keywords = NetrcFile.Keyword.allCases.map(\.rawValue)
      return ("a word is none of \(keywords.dropLast().joined(separator: ", ")) and \(keywords.last!)", quoting)
    case .missingValue(let keyword):
      return ("'\(keyword.rawValue)' has no value", "write it behind the word; an empty one is \"\"")
    case .outsideEntry(let keyword):
      return ("'\(keyword.rawValue)' belongs to no machine", "begin with 'machine NAME' or 'default'")
    case .repeated(let keyword):
      return ("a machine has a second '\(keyword.rawValue)'", "begin each entry with 'machine NAME'")
    case .openQuotation: return ("a quotation does not end", quoting)
    case .textAfterQuotation: return ("text follows a quotation without a blank", quoting)
    case .controlCharacter:
      return ("a control character is in it", "check that this is a netrc file; a password may have \\n, \\r and \\t")
    case .tooLong:
      return ("a word has more than \(NetrcFile.mostValueBytes) bytes", "check that this is the right file")
    }
  }
}

internal import CSwiftGetShims
internal import CommandOptions
internal import DownloadCore
internal import DownloadWords

extension Generator {
  /// A manual page, in the man macros of groff and mandoc: its source in `man/` with the lines `@NAME@` replaced by what
  /// the tables say.
  static func page(_ kind: GeneratedText) -> String {
    let (name, source) =
      switch kind {
      case .manGuide: ("SWIFTGET\\-GUIDE 7", shim_manual_guide())
      case .manOutput: ("SWIFTGET\\-OUTPUT 5", shim_manual_output())
      default: ("SWIFTGET 1", shim_manual_command())
      }
    let lines = String(cString: source!).split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    return lines.map { spliced(String($0), name: name) ?? "\($0)\n" }.joined()
  }

  /// What takes the place of a line; nil if the line stays. Each name is computed only in the page that has it.
  private static func spliced(_ line: String, name: String) -> String? {
    switch line {
    case "@title@": ".TH \(name) 2026-11-30 \"swiftget \(version)\" \"swiftget manual\"\n"
    case "@options@": options
    case "@translations@": translations
    case "@statuses@": statuses
    case "@codes@": codes
    case "@host-options@": sentence(OptionTable.shown.filter(\.isForHosts).map(\.long))
    default: nil
    }
  }

  private static var options: String {
    OptionGroup.allCases.map { group in
      ".SS \(roff(group.rawValue))\n" + OptionTable.shown.filter { $0.group == group }.map(entry).joined()
    }.joined()
  }

  /// The codes of failures by the exit statuses that they lead to.
  private static var codes: String {
    ExitStatus.fixed.map { status in
      let codes = Failure.Code.allCases.filter { ExitStatus($0) == status }.map { "`\($0.rawValue)`" }
      return codes.isEmpty ? "" : tagged("`\(status.rawValue)`", codes.joined(separator: ", "))
    }.joined()
  }

  private static var translations: String {
    ForeignTool.allCases.map { tagged("`\($0.rawValue)`", translations(of: $0)) }.joined()
  }

  private static var statuses: String {
    let order = ExitStatus.precedence.filter { $0 != .interrupted }.map { "\($0.rawValue)" }.joined(separator: ", ")
    return ExitStatus.fixed.map { tagged("`\($0.rawValue)`", $0.meaning) }.joined() + ".PP\n"
      + filled("If several files failed for different reasons, the status is the first of \(order) that occurred.")
      + "\n"
  }

  private static func sentence(_ words: [String]) -> String {
    filled(words.map { "`\($0)`" }.joined(separator: ", ") + ".") + "\n"
  }

  private static func tagged(_ tag: String, _ text: String) -> String { ".TP\n\(roff(tag))\n\(filled(text))\n" }

  private static func entry(_ spec: OptionSpec) -> String {
    var names = spec.shorts.map { "`-\($0)`" } + spec.longs.map { "`--\($0)`" }
    switch spec.argument {
    case .nothing: break
    case .required(let name): names[names.count - 1] += " *\(name)*"
    case .optional(let name): names[names.count - 1] += "[=*\(name)*]"
    }
    var detail = spec.detail
    if let text = spec.defaultText, !["", "0", "."].contains(text), !detail.contains("(`\(text)`)") {
      detail += " The default is `\(text)`."
    }
    return tagged(names.joined(separator: ", "), detail)
  }

  /// The names that differ from ours, without those that may be left out.
  private static func translations(of tool: ForeignTool) -> String {
    let ours = Set(OptionTable.options.flatMap(\.longs))
    let rows = ForeignOptions.all.filter { $0.tool == tool && !ours.contains($0.long) }.sorted { $0.long < $1.long }
    let words = rows.compactMap { row in equivalent(of: row.meaning).map { "`--\(row.long)` (\($0))" } }
    return words.joined(separator: ", ") + "."
  }

  private static func equivalent(of meaning: ForeignOption.Meaning) -> String? {
    func name(_ id: OptionID) -> String { "`--\(OptionTable.spec(id).long)`" }
    switch meaning {
    case .same(let id): return name(id)
    case .fixed(let id, nil): return name(id)
    case .fixed(let id, let value?): return "\(name(id)) `\(value)`"
    case .converted(let id, .retriesToTries): return "\(name(id)), one less"
    case .converted(let id, .pathToCertificate), .converted(let id, .pauseToRequests): return name(id)
    case .boolean(.nothing, let isFalse): return equivalent(of: isFalse).map { "\($0) if `false`" }
    case .boolean(let isTrue, _): return equivalent(of: isTrue)
    case .only(let values, let meaning, _): return equivalent(of: meaning).map { "\($0) with `\(values[0])`" }
    case .unless(let value, let meaning): return equivalent(of: meaning).map { "\($0) unless `\(value)`" }
    case .cookies: return "\(name(.loadCookies)) or \(name(.header))"
    case .url: return "the URL"
    case .showsProgress: return "no `--quiet`"
    case .nothing, .refused: return nil
    }
  }

  /// Converts marks to font changes.
  private static func roff(_ text: String) -> String {
    let pieces = MarkedText(text).pieces.map { piece in
      let escaped = piece.text.map(escaped).joined()
      return switch piece.style {
      case .bold: "\\fB\(escaped)\\fR"
      case .italic: "\\fI\(escaped)\\fR"
      case nil: escaped
      }
    }
    return guarded(pieces.joined())
  }

  /// Wraps text into input lines of at most 80 bytes, for linters and diffs.
  private static func filled(_ text: String) -> String {
    var lines = [""]
    for word in roff(text).split(separator: " ") {
      let last = lines[lines.count - 1]
      if last.isEmpty {
        lines[lines.count - 1] = String(word)
      } else if last.utf8.count + 1 + word.utf8.count <= 80 {
        lines[lines.count - 1] = last + " " + word
      } else {
        lines.append(guarded(String(word)))
      }
    }
    return lines.joined(separator: "\n")
  }

  private static func escaped(_ character: Character) -> String {
    switch character {
    case "\\": "\\e"
    case "-": "\\-"
    case "'": "\\(aq"
    case "`": "\\(ga"
    case "~": "\\(ti"
    case "^": "\\(ha"
    default: String(character)
    }
  }

  /// Protects a leading dot, which would make the line a macro.
  private static func guarded(_ line: String) -> String { line.hasPrefix(".") ? "\\&" + line : line }
}

extension ExitStatus {
  /// The text of the man page.
  fileprivate var meaning: String {
    switch self {
    case .success:
      "Every requested file is in place, checked against every known checksum, and on stable storage."
    case .changed(let number): "Like 0, and a file was downloaded or replaced (`--changed-exit` \(number))."
    case .other: "Another failure, or a bug in swiftget."
    case .usage: "The command line or a list is wrong; nothing was started, except with `--keep-going`."
    case .localIO: "A local file, directory or device failed, or the disk is full."
    case .network: "No usable answer after all tries (429 and 5xx included). Run the same command again."
    case .tls: "The server's certificate or the TLS connection could not be trusted."
    case .authentication: "The server or proxy requires other credentials (401, 407)."
    case .protocolViolation: "The server violated the protocol."
    case .serverRefused: "The server refused the request (404 and similar)."
    case .integrity: "The content is wrong: checksum, size or version."
    case .tryLater: "Another run downloads the same file, or the time limit was reached with progress saved."
    case .interrupted: "Interrupted by Ctrl-C; the same command continues."
    case .terminated: "Ended by SIGTERM or SIGHUP; the same command continues."
    }
  }
}

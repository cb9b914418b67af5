package import DownloadCore

/// What a person reads of an invalid line of a list, or of a URL's fragment: one row for each problem.
package enum ListMessages {
  /// A list without a single request.
  ///
  /// - Parameter isFiltered: whether `--include` and `--exclude` leave out what it has.
  package static func empty(_ name: String, isFiltered: Bool) -> Diagnostic {
    Diagnostic(
      message: isFiltered
        ? "warning: the filters leave no file of the list \(name)"
        : "warning: the list \(name) contains no files")
  }

  /// What a list has that is no file, because options or its format say so.
  package static func passed(_ name: String, count: Int) -> Diagnostic {
    let entries = count == 1 ? "1 entry that is not a file" : "\(count) entries that are not files"
    return Diagnostic(message: "the list \(name): skipped \(entries)")
  }

  /// What `--keep-going` leaves out.
  package static func leftOut(problemCount: Int) -> Diagnostic {
    let most = UsageErrors.mostOfFile
    let rest = problemCount > most ? ", of which the first \(most) are shown" : ""
    return Diagnostic(
      message: "warning: the lists have \(Humanized.count(problemCount, "error"))\(rest); "
        + "continuing with the other files, and the exit status is \(ExitStatus.usage.rawValue)")
  }

  /// The last word of a run that has done without wrong entries, which were told at its beginning.
  ///
  /// - Parameter status: of the run.
  package static func wrongEntries(_ count: Int, status: ExitStatus) -> Diagnostic {
    let entries = count == 1 ? "1 wrong entry" : "\(count) wrong entries"
    let consequence = status == .usage ? "; the exit status is \(status.rawValue)" : ""
    return Diagnostic(message: "\(entries) in the lists skipped\(consequence)")
  }

  /// Gives different URLs different names, whatever they differ in.
  package static let templateForURLs: Phrase = "\(.outputTemplate, "'{stem}-{url-md5}.{ext}'")"

  /// What helps where two different entries would be written to one file.
  ///
  /// - Parameter format: of the list that has the second one; nil for a bag.
  package static func collisionHint(_ format: ListFormat?) -> Phrase {
    switch format {
    case .aria2: "put mirrors of one file on one line, separated by TABs; rename other files with out="
    case .urlList:
      "\(templateForURLs) names files by their whole URLs, including the query; an indented line out=NAME after a URL names "
        + "one file"
    case .tsv, .csv, .fields:
      "put the mirrors of one file into one row, in columns named mirror; give other files names of their own in a column "
        + "such as filename, or choose one with \(.columns, "url=COLUMN,out=COLUMN")"
    case .json, .jsonl:
      "put the mirrors of one file into one \"url\" as an array; give other files names of their own in \"out\""
    case .checksums, .pooch, .metalink, .deb822, .bagit, nil:
      "one of the two is wrong, or they belong into different directories: download the lists one by one with \(.dir)"
    }
  }

  /// The text after the list's name and the line number. Quotations are printable, redacted and cut.
  package static func message(_ problem: ListProblem) -> String {
    switch problem {
    case .lineTooLong: "the line is longer than \(LineSplitter.maximumLineByteCount >> 10) KiB"
    case .nulByte: "the line contains a NUL byte"
    case .controlCharacter: "the line contains a control character"
    case .utf16: "the list is UTF-16 text"
    case .malformedUTF16: "invalid UTF-16"
    case .foreign(let text): ForeignTextMessages.message(text)
    case .notURL(let text): "\(Quotation.text(text)) is not a URL"
    case .blankBetweenURLs: "a space separates two URLs"
    case .textAfterDigest: "text follows the checksum after the URL"
    case .markup: "the list looks like HTML or XML"
    case .checksumLine: "a checksum line, not a URL"
    case .strayLine: "an indented line is neither a URL nor an option"
    case .optionBeforeURL: "an option comes before the first URL"
    case .unknownOption(let name):
      name.map {
        hint(aria2Option: $0) == nil
          ? "unknown option '\($0)'" : "swiftget does not support '\($0)' here"
      } ?? "malformed option"
    case .emptyOption(let name): "\(name)= is empty"
    case .repeatedOption(let name, let line): "a second \(name)= for the URL; the first one is in line \(line)"
    case .malformedHeader: "a header is not of the form 'Name: value'"
    case .refererOfItself: "swiftget does not support 'referer=*'"
    case .unnamedChecksum(let text): "the checksum \(Quotation.text(text)) has no known algorithm"
    case .notChecksumLine(let text): "\(text.map(Quotation.text) ?? "an indented line") is not a checksum line"
    case .unknownDigestLength(let count): "no known checksum has \(count) hexadecimal digits"
    case .unknownAlgorithm(let name): "unknown checksum algorithm \(Quotation.text(name))"
    case .digestNotHexadecimal(let algorithm): "the \(algorithm.rawValue) is not hexadecimal"
    case .unknownEscape(let name): "the escaped name \(Quotation.text(name)) has an unknown escape"
    case .unfinishedEscape(let name): "the escaped name \(Quotation.text(name)) ends within an escape"
    case .missingName: "the line has a checksum but no file name"
    case .signature: "a PGP signature, not a list"
    case .unfinishedSignature: "the list ends before the end of its PGP signature"
    case .malformedDigest(let algorithm): "the \(algorithm.rawValue) is not \(digits(algorithm))"
    case .malformedFragment(let algorithm): "the \(algorithm.rawValue) after '#' is not \(digits(algorithm))"
    case .contradictoryDigests(let algorithm): "one file has two different \(algorithm.rawValue) checksums"
    case .contradictorySizes(let one, let other): "one file has two sizes, \(one) and \(other) bytes"
    case .metalink(let problem): MetalinkMessages.message(problem)
    case .table(let problem): TableMessages.message(problem)
    case .json(let problem): JSONMessages.message(problem)
    case .bag(let problem): BagMessages.message(problem)
    case .notRegistryLine: "the line is not a name, a hash and perhaps a URL"
    case .notControlLine: "the line is not a field of a Debian index"
    case .repeatedField: "the field occurs twice in one stanza of a Debian index"
    }
  }

  package static func hint(_ problem: ListProblem) -> Phrase? {
    switch problem {
    case .lineTooLong: "check that this is a list of URLs or checksums"
    case .nulByte: "lists are text; convert UTF-16 with: iconv -f UTF-16 -t UTF-8"
    case .foreign(let text): ForeignTextMessages.hint(text)
    case .malformedUTF16: "check that the list is complete"
    case .missingName:
      "a digest alone belongs to the file that the list is named after (NAME.sha256); for files that are named by digests, "
        + "use \(.inputFormat, "urls") \(.baseURL, "URL")"
    case .utf16: "convert it with: iconv -f UTF-16 -t UTF-8"
    case .textAfterDigest: "expected 'URL CHECKSUM'; put options such as out=NAME on indented lines below"
    case .blankBetweenURLs: "separate mirrors of one file with TABs; put each other file on its own line"
    case .notURL: "a URL begins with https:// or http://; file names need \(.baseURL, "URL")"
    case .markup: "check whether an error page was saved instead of the list"
    case .checksumLine: "use \(.inputFormat, "checksums") with \(.baseURL, "URL")"
    case .strayLine: "indented lines are name=value options of the URL above them"
    case .optionBeforeURL: "indented lines belong to the URL above them"
    case .unknownOption(let name):
      Phrase(name.flatMap(hint(aria2Option:)) ?? "options have the form name=value, as in aria2 input files")
    case .repeatedOption: "leave one of them; another file needs a URL of its own above it"
    case .refererOfItself: Phrase(refererHint)
    case .unnamedChecksum: "checksum=ALGO=HEX, where ALGO is one of \(algorithms)"
    case .notChecksumLine: "expected 'HEX  NAME' or 'SHA256 (NAME) = HEX'; for other formats see \(.inputFormat)"
    case .unknownDigestLength, .unknownAlgorithm: "known algorithms: \(algorithms)"
    case .notControlLine: "a field is NAME: VALUE; files are listed as HEX SIZE NAME"
    case .repeatedField: "an empty line separates two stanzas"
    case .signature: "give the file that it signs"
    case .unfinishedSignature: "check that the list is complete"
    case .metalink(let problem): MetalinkMessages.hint(problem)
    case .table(let problem): TableMessages.hint(problem)
    case .json(let problem): JSONMessages.hint(problem)
    case .bag(let problem): BagMessages.hint(problem).map { Phrase($0) }
    case .notRegistryLine: "a line of a pooch registry is NAME ALGO:HEX [URL]; quote names with spaces"
    case .controlCharacter, .emptyOption, .malformedHeader, .digestNotHexadecimal, .unknownEscape, .unfinishedEscape,
      .malformedDigest, .malformedFragment, .contradictoryDigests, .contradictorySizes:
      nil
    }
  }

  /// What helps who has an option of aria2 in a list that is refused there; nil for what is none of aria2's.
  private static func hint(aria2Option long: String) -> String? {
    guard let option = ForeignTable.shared.options.first(where: { $0.long == long && $0.tool == .aria2 }) else {
      return nil
    }
    return option.inList.flatMap(hint(meaning:)) ?? hint(meaning: option.onCommandLine)
      ?? "aria2 takes it on the command line only"
  }

  /// Why an option of another tool is refused, with some arguments at least.
  ///
  /// - Parameter meaning: as in `foreign-options.tsv`.
  static func hint(meaning: String) -> String? {
    let words = meaning.split(separator: " ")
    guard ["!", "only"].contains(words.first), let mark = words.firstIndex(of: "!") else { return nil }
    return words[mark...].dropFirst().joined(separator: " ")
  }

  package static let refererHint = "aria2 sends the URL of the file for *; give that URL"

  private static var algorithms: String { DigestAlgorithm.allCases.map(\.rawValue).joined(separator: ", ") }

  private static func digits(_ algorithm: DigestAlgorithm) -> String {
    "\(algorithm.byteCount * 2) hexadecimal digits, or base64 of \(algorithm.byteCount) bytes"
  }
}

extension Failure {
  /// A usage error for an invalid line, or an invalid or contradictory digest.
  ///
  /// - Parameter subject: the line, option or URL, without a colon.
  package init(_ problem: ListProblem, of subject: String) {
    self.init(.usage, words: "\(subject): \(ListMessages.message(problem))", hint: ListMessages.hint(problem))
  }
}

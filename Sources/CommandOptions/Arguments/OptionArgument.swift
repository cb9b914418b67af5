package import DownloadCore
internal import DownloadTransport
internal import DownloadWords

/// The argument of an option. Its methods read it, and throw usage errors that name the option.
///
/// Errors never show credentials: possible URLs are redacted; header lines and passwords are left out.
struct OptionArgument {
  /// `-d` or `--dir`.
  let spelling: String
  let bytes: [UInt8]
  /// False where an optional argument is missing.
  let isGiven: Bool
  /// The words that it may be, where it is one of some.
  private let choices: [String]

  init(spelling: String, bytes: [UInt8], isGiven: Bool = true, choices: [String] = []) {
    (self.spelling, self.bytes, self.isGiven, self.choices) = (spelling, bytes, isGiven, choices)
  }

  func nonEmpty() throws(Failure) -> [UInt8] {
    guard !bytes.isEmpty else { throw Failure(.usage, "\(spelling): the argument is empty") }
    return bytes
  }

  /// A path. A URL is refused, because the user meant another option.
  func path() throws(Failure) -> [UInt8] {
    if TargetName.isURL(bytes) {
      throw refused("is a URL, not a path", hint: "give URLs without an option; this option needs a local path")
    }
    return try nonEmpty()
  }

  /// The path of the file of `--output`; `-` is standard output, by whatever name.
  func outputPath() throws(Failure) -> [UInt8] {
    let path = try path()
    return DescriptorPath.descriptor(of: path) == 1 ? [UInt8(ascii: "-")] : path
  }

  /// `FILE[:PASSWORD]` as in curl: a backslash escapes a colon or a backslash in the name.
  func certificate() throws(Failure) -> (file: String, password: String?) {
    var rest = bytes[...]
    var file: [UInt8] = []
    while let byte = rest.popFirst(), byte != UInt8(ascii: ":") {
      if byte == UInt8(ascii: "\\"), let next = rest.first, next == UInt8(ascii: ":") || next == byte {
        file.append(next)
        rest = rest.dropFirst()
      } else {
        file.append(byte)
      }
    }
    func part(_ bytes: [UInt8]) -> OptionArgument { OptionArgument(spelling: spelling, bytes: bytes) }
    return (try part(file).text(), rest.isEmpty ? nil : try part(Array(rest)).text())
  }

  /// Text that is passed on as a `String`; bytes that are not UTF-8 are refused.
  func text() throws(Failure) -> String {
    guard let text = String(validating: try nonEmpty(), as: UTF8.self) else {
      throw Failure(.usage, "\(spelling): the argument is not UTF-8")
    }
    return text
  }

  /// Words separated by commas; empty ones are left out.
  func words() throws(Failure) -> [String] {
    let words = try text().split(separator: ",").map { $0.split(separator: " ").joined(separator: " ") }
      .filter { !$0.isEmpty }
    if words.isEmpty { throw Failure(.usage, "\(spelling): the argument is empty") }
    return words
  }

  /// The value of a header field: may be empty, must not contain a line break.
  func fieldValue() throws(Failure) -> String {
    guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }), let text = String(validating: bytes, as: UTF8.self) else {
      throw Failure(.usage, "\(spelling): the argument holds control characters or is not UTF-8")
    }
    return text
  }

  /// A field value, but not aria2's `*`, with which it sends the URL of each request.
  func referer() throws(Failure) -> String {
    if bytes.elementsEqual("*".utf8) { throw refused("is not a URL", hint: ListMessages.refererHint) }
    return try fieldValue()
  }

  func choice() throws(Failure) -> String {
    let text = String(decoding: bytes, as: UTF8.self)
    guard choices.contains(text) else {
      throw refused("is not a valid value", hint: "one of " + choices.joined(separator: ", "))
    }
    return text
  }

  func choice<Choice: RawRepresentable<String>>() throws(Failure) -> Choice {
    let text: String = try choice()
    guard let choice = Choice(rawValue: text) else { preconditionFailure("\(spelling): \(text) has no meaning") }
    return choice
  }

  /// A whole number, which may be negative.
  func number(in range: ClosedRange<Int>) throws(Failure) -> Int {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let number = Int(text), text.first != "+" else { throw refused("is not a whole number", hint: nil) }
    guard range.contains(number) else {
      throw refused("is out of range", hint: "from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// The name of a group of tasks.
  func groupName() throws(Failure) -> String {
    guard (1...255).contains(bytes.count), let name = String(validating: bytes, as: UTF8.self) else {
      throw refused("is no name of a group", hint: "1 to 255 bytes of UTF-8")
    }
    return name
  }

  func count(in range: ClosedRange<Int64>) throws(Failure) -> Int {
    guard let count = Int64(digits: bytes) else { throw refused("is not a whole number", hint: foreignHint) }
    guard range.contains(count) else {
      throw refused("is out of range", hint: "from \(range.lowerBound) to \(range.upperBound)")
    }
    return Int(count)
  }

  private var isAutomatic: Bool { bytes.elementsEqual("auto".utf8) }

  /// Nil for `auto`.
  func automaticCount(in range: ClosedRange<Int64>) throws(Failure) -> Int? {
    isAutomatic ? nil : try count(in: range)
  }

  /// 0 and `inf` are as many as there may be, as in wget and aria2.
  func tries() throws(Failure) -> Int {
    let most = 10000
    if bytes.elementsEqual("inf".utf8) { return most }
    let count = try count(in: 0...Int64(most))
    return count == 0 ? most : count
  }

  /// wget's `bar:force` is a bar, and its `dot:mega` lines.
  func progressStyle() throws(Failure) -> ProgressStyle {
    switch String(decoding: bytes.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self) {
    case "bar": .bar
    case "dot": .lines
    default: try choice()
    }
  }

  func size() throws(Failure) -> Int64 {
    guard let size = OptionValues.size(bytes) else {
      throw refused(
        "is not a size", hint: foreignHint ?? "use bytes, or a suffix k, M, G or T (powers of 1024): 4096, 1.5M")
    }
    return size
  }

  /// Nil for `auto`.
  func splitSize() throws(Failure) -> Int64? {
    isAutomatic ? nil : max(64 << 10, try size())
  }

  /// Nil for 0, which is no limit as in curl, wget and aria2.
  func sizeLimit() throws(Failure) -> Int64? {
    let size = try size()
    return size == 0 ? nil : size
  }

  /// Nil for 0, which is no limit.
  func timeLimit() throws(Failure) -> Duration? {
    let time = try runDuration()
    return time == .zero ? nil : time
  }

  static let day = Duration.seconds(86_400)

  /// Nil where no entry limits the rate.
  func timetable() throws(Failure) -> RateTimetable? {
    do {
      let timetable = try RateTimetable(text: bytes, readRate: OptionValues.rate)
      return timetable.isEverLimited ? timetable : nil
    } catch {
      throw refused(error)
    }
  }

  private func refused(_ fault: RateTimetable.Fault) -> Failure {
    // A password with a space splits a URL into words. The last word shows that the first one is a URL.
    let isWhole = self.bytes.contains(UInt8(ascii: "@"))
    func part(_ bytes: [UInt8]) -> OptionArgument {
      isWhole ? self : OptionArgument(spelling: spelling, bytes: bytes)
    }
    return switch fault {
    case .notARate(let text):
      part(text).refused(
        "is not a rate", hint: "use bytes per second such as 500k or 1.5M, or off; a schedule is '08:00,2M 19:00,off'")
    case .notATimeOfDay(let text):
      part(text).refused("is not a time of day", hint: "from 00:00 to 23:59, as in '08:00,2M 19:00,off'")
    case .notAnEntry(let text):
      part(text).refused(
        "is not a time and a rate", hint: "use HH:MM,RATE entries separated by spaces: '08:00,2M 19:00,off'")
    case .sameTime(let text): part(text).refused("appears twice", hint: "give one rate for each time of day")
    }
  }

  func duration(in range: ClosedRange<Duration>) throws(Failure) -> Duration {
    guard let duration = OptionValues.duration(bytes) else {
      throw refused("is not a duration", hint: "seconds, or with s, m or h: 1.5, 10s, 5m, 2h")
    }
    guard range.contains(duration) else {
      throw refused(
        "is out of range",
        hint: "from \(Self.seconds(range.lowerBound)) to \(Self.seconds(range.upperBound)) seconds")
    }
    return duration
  }

  /// One digest or several of one file.
  func digests() throws(Failure) -> [ContentDigest] {
    guard let digests = try? StatedDigests(bytes[...]).digests, !digests.isEmpty else {
      let names = DigestAlgorithm.allCases.map(\.rawValue).joined(separator: ", ")
      throw refused(
        "is not a checksum", hint: "use ALGO:HEX or ALGO-BASE64 with the full checksum; ALGO is one of \(names)")
    }
    return digests
  }

  func header() throws(Failure) -> String {
    guard let line = OptionValues.headerLine(bytes) else {
      throw Failure(
        .usage, "\(spelling): the argument is not a header line", hint: "'Name: value', without line breaks")
    }
    let name = line.prefix { $0 != ":" }.lowercased()
    if ["range", "if-range", "accept-encoding", "content-length", "transfer-encoding", "connection"].contains(name) {
      throw Failure(
        .usage, "\(spelling): '\(name)' cannot be set", hint: "swiftget sets it for every request; leave it out")
    }
    return line
  }

  /// `NAME:PASSWORD` or `NAME`. Like curl, takes an empty name beside a password.
  func credentials() throws(Failure) -> String {
    guard !bytes.isEmpty else {
      throw Failure(.usage, "\(spelling): the argument is empty", hint: "use USER:PASSWORD")
    }
    return try fieldValue()
  }

  /// Never shown.
  func password() throws(Failure) -> String {
    if bytes.isEmpty { throw Failure(.usage, "\(spelling): the argument is empty", hint: "use --netrc") }
    return try fieldValue()
  }

  /// `3/s`, `30/m`, `1/10s`; `off` and 0 are no limit.
  ///
  /// - Returns: requests per second; nil for no limit.
  func requestRate() throws(Failure) -> Double? {
    if ["off", "0"].contains(where: { bytes.elementsEqual($0.utf8) }) { return nil }
    guard let rate = OptionValues.requestRate(bytes) else {
      throw refused("is not a number of requests in a time", hint: "such as 3/s, 30/m or 1/10s; at most 1000/s")
    }
    return rate
  }

  /// The URL of a proxy as libcurl reads it; the scheme may be missing.
  func proxy() throws(Failure) -> String {
    let text = try text()
    guard URLParser.isProxy(text) else {
      // What is not understood may hold a password anywhere, so it is not shown.
      throw Failure(
        .usage, "\(spelling): the argument is not the URL of a proxy",
        hint: "such as http://proxy.example:8080; also https, socks4, socks5, socks5h")
    }
    return text
  }

  /// An interface that this machine has, or an address.
  func networkInterface() throws(Failure) -> String {
    let text = try text()
    guard NetworkInterface.isOne(text) else {
      throw Failure(
        .usage, "\(spelling): the argument is neither a network interface of this machine nor an IP address",
        hint: "`ip address` lists both")
    }
    return text
  }

  /// Numbers of statuses separated by commas.
  func wholeStatuses() throws(Failure) -> WholeStatuses {
    var statuses = WholeStatuses()
    for word in try words() {
      guard let status = Int(word), WholeStatuses.mayAccept(status) else {
        throw Failure(
          .usage, "\(spelling): the argument has a word that is not a status of a whole file",
          hint: "from 200 to 299, except 204, 205 and 206; redirects and errors are never files")
      }
      statuses.further.insert(status)
    }
    return statuses
  }

  func resolveEntry() throws(Failure) -> String {
    guard let entry = OptionValues.resolveEntry(bytes) else {
      throw refused("is not HOST:PORT:ADDRESS", hint: "such as example.org:443:192.0.2.7")
    }
    return entry
  }

  /// A hint for users of other tools, where the same letter has another meaning.
  private var foreignHint: String? {
    guard bytes.contains(UInt8(ascii: ":")) || bytes.contains(UInt8(ascii: "/")) else { return nil }
    return switch spelling {
    case "-x": "-x means --connections here; use --proxy URL for a proxy"
    case "-k": "-k means --min-split-size SIZE here; use --insecure to skip certificate checks"
    default: nil
    }
  }

  func refused(_ what: String, hint: String?) -> Failure {
    Failure(.usage, "\(spelling): '\(shown)' \(what)", hint: hint)
  }

  private var shown: String { String(decoding: Redaction.argument(bytes), as: UTF8.self) }

  private static func seconds(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    return attoseconds == 0 ? "\(seconds)" : "\(seconds).\(attoseconds / 100_000_000_000_000_000)"
  }
}

extension RateTimetable {
  /// What a user types while a run lasts, as for `--limit-rate`.
  ///
  /// - Returns: nil for no limit.
  package static func typed(_ text: String) throws(Failure) -> RateTimetable? {
    try OptionArgument(spelling: "the rate", bytes: Array(text.utf8)).timetable()
  }
}

/// The options of aria2's input files (aria2c(1), section "Input File").
enum Aria2Option {
  case out, directory, checksum, header, referer, userAgent, noCache
  /// An option that changes neither who is asked, nor with what, nor whether: it tunes a transfer, is about other protocols,
  /// or says what swiftget does anyway.
  case ignored

  /// Whether an entry may have one value of it. aria2 takes the last one.
  var standsOnce: Bool {
    switch self {
    case .out, .directory, .referer, .userAgent: true
    case .checksum, .header, .noCache, .ignored: false
    }
  }

  /// - Parameter value: without blanks around it.
  /// - Throws: for names that aria2 does not know, and for options that must not be ignored.
  init(name: ArraySlice<UInt8>, value: ArraySlice<UInt8>) throws(ListProblem) {
    let text = name.loweredPrintable
    switch text {
    case "out": self = .out
    case "dir": self = .directory
    case "checksum": self = .checksum
    case "header": self = .header
    case "referer": self = .referer
    case "user-agent": self = .userAgent
    case "http-no-cache" where !value.equals(folded: "false"): self = .noCache
    case _ where Self.harmlessValues[text].map { value.isEmpty || $0.contains(value.loweredPrintable) } ?? false:
      self = .ignored
    case _ where Self.harmless.contains(text): self = .ignored
    default:
      // Show it only if it looks like a name. It may be a secret header whose `header=` is missing.
      throw .unknownOption(name.allSatisfy(Self.isNameByte) ? text : nil)
    }
  }

  /// Whether the text has the form `name=value`.
  static func isOne(_ text: ArraySlice<UInt8>) -> Bool {
    guard let equals = text.firstIndex(of: UInt8(ascii: "=")), equals > text.startIndex else { return false }
    return text[..<equals].trimmed.allSatisfy(isNameByte)
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    byte.isLetter || byte.isDigit || byte == UInt8(ascii: "-")
  }

  /// The values with which an option changes nothing. Others are refused.
  private static let harmlessValues: [String: Set<String>] = [
    "allow-overwrite": ["false"], "conditional-get": ["false"], "dry-run": ["false"], "follow-metalink": ["false"],
    "follow-torrent": ["false"], "hash-check-only": ["false"], "http-accept-gzip": ["false"],
    "http-no-cache": ["false"],
    "no-netrc": ["false"], "no-proxy": [], "parameterized-uri": ["false"], "pause": ["false"], "proxy-method": ["get"],
    "remove-control-file": ["false"],
  ]

  private static let harmless: Set<String> = [
    "allow-piece-length-change", "always-resume", "async-dns", "auto-file-renaming",
    "bt-enable-hook-after-hash-check", "bt-enable-lpd", "bt-exclude-tracker", "bt-external-ip", "bt-force-encryption",
    "bt-hash-check-seed", "bt-load-saved-metadata", "bt-max-peers", "bt-metadata-only", "bt-min-crypto-level",
    "bt-prioritize-piece", "bt-remove-unselected-file", "bt-request-peer-speed-limit", "bt-require-crypto",
    "bt-save-metadata", "bt-seed-unverified", "bt-stop-timeout", "bt-tracker", "bt-tracker-connect-timeout",
    "bt-tracker-interval", "bt-tracker-timeout", "check-integrity", "connect-timeout",
    "content-disposition-default-utf8", "continue", "enable-http-keep-alive", "enable-http-pipelining",
    "enable-mmap", "enable-peer-exchange", "file-allocation", "force-save",
    "ftp-pasv", "ftp-reuse-connection", "ftp-type", "gid",
    "http-auth-challenge", "lowest-speed-limit", "max-connection-per-server", "max-download-limit",
    "max-file-not-found", "max-mmap-limit", "max-resume-failure-tries", "max-tries", "max-upload-limit",
    "metalink-base-uri", "metalink-enable-unique-protocol", "metalink-language", "metalink-location", "metalink-os",
    "metalink-preferred-protocol", "metalink-version", "min-split-size", "no-file-allocation-limit",
    "no-want-digest-header", "pause-metadata", "piece-length",
    "realtime-chunk-checksum", "remote-time", "retry-wait", "reuse-uri",
    "rpc-save-upload-metadata", "save-not-found", "seed-ratio", "seed-time", "select-file", "split",
    "ssh-host-key-md", "stream-piece-selector", "timeout", "uri-selector", "use-head",
  ]
}

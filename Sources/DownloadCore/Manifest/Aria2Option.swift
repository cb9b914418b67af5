/// The options of aria2's input files (aria2c(1), section "Input File").
enum Aria2Option {
  case out, directory, checksum, header, referer, userAgent
  /// An option of aria2 that does not change the downloaded file.
  case ignored

  /// Whether an entry may have one value of it. aria2 takes the last one.
  var standsOnce: Bool {
    switch self {
    case .out, .directory, .referer, .userAgent: true
    case .checksum, .header, .ignored: false
    }
  }

  /// - Throws: for names that aria2 does not know, and for options that must not be ignored.
  init(name: ArraySlice<UInt8>) throws(ListProblem) {
    let text = name.loweredPrintable
    switch text {
    case "out": self = .out
    case "dir": self = .directory
    case "checksum": self = .checksum
    case "header": self = .header
    case "referer": self = .referer
    case "user-agent": self = .userAgent
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

  private static let harmless: Set<String> = [
    "allow-overwrite", "allow-piece-length-change", "always-resume", "async-dns", "auto-file-renaming",
    "bt-enable-hook-after-hash-check", "bt-enable-lpd", "bt-exclude-tracker", "bt-external-ip", "bt-force-encryption",
    "bt-hash-check-seed", "bt-load-saved-metadata", "bt-max-peers", "bt-metadata-only", "bt-min-crypto-level",
    "bt-prioritize-piece", "bt-remove-unselected-file", "bt-request-peer-speed-limit", "bt-require-crypto",
    "bt-save-metadata", "bt-seed-unverified", "bt-stop-timeout", "bt-tracker", "bt-tracker-connect-timeout",
    "bt-tracker-interval", "bt-tracker-timeout", "check-integrity", "conditional-get", "connect-timeout",
    "content-disposition-default-utf8", "continue", "dry-run", "enable-http-keep-alive", "enable-http-pipelining",
    "enable-mmap", "enable-peer-exchange", "file-allocation", "follow-metalink", "follow-torrent", "force-save",
    "ftp-pasv", "ftp-reuse-connection", "ftp-type", "gid", "hash-check-only", "http-accept-gzip",
    "http-auth-challenge", "http-no-cache", "lowest-speed-limit", "max-connection-per-server", "max-download-limit",
    "max-file-not-found", "max-mmap-limit", "max-resume-failure-tries", "max-tries", "max-upload-limit",
    "metalink-base-uri", "metalink-enable-unique-protocol", "metalink-language", "metalink-location", "metalink-os",
    "metalink-preferred-protocol", "metalink-version", "min-split-size", "no-file-allocation-limit", "no-netrc",
    "no-proxy", "no-want-digest-header", "pause", "pause-metadata", "piece-length", "proxy-method",
    "realtime-chunk-checksum", "remote-time", "remove-control-file", "retry-wait", "reuse-uri",
    "rpc-save-upload-metadata", "save-not-found", "seed-ratio", "seed-time", "select-file", "split",
    "ssh-host-key-md", "stream-piece-selector", "timeout", "uri-selector", "use-head",
  ]
}

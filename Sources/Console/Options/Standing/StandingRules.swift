/// Which options may hold for every run, and for what.
enum StandingRules {
  /// Whether an option may hold for every run. The others say what one run does.
  static func mayStand(_ id: OptionID) -> Bool {
    switch id {
    case .inputFile, .baseURL, .inputFormat, .columns, .urlTemplate, .urlScheme, .verifySignature, .signature, .output,
      .checksum, .mirror, .include, .exclude, .shard, .lock, .frozen, .failed, .report, .check, .dryRun,
      .allowAbsolute, .inPlace,
      .spider, .atomic, .writeManifest, .algorithm, .config, .noConfig, .help, .version, .generate:
      false
    default: true
    }
  }

  /// Options that say nothing to a command of these options, and would contradict it.
  static func meaningless(beside given: [OptionID]) -> Set<OptionID> {
    let ofDownloads: Set<OptionID> = [
      .nameFrom, .contentDisposition, .changedExit, .deadline, .splay, .lockWait, .onComplete, .onFailure, .onExit,
      .verifyCommand,
      .notify,
    ]
    if given.contains(.check) { return ofDownloads }
    if given.contains(.writeManifest) { return ofDownloads.union([.strict, .dir]) }
    return given.contains(.spider) ? ofDownloads.union([.strict]) : [.strict]
  }

  /// Whether an option may be set for a host: what the engine chooses for each request.
  static func mayBeOfHost(_ id: OptionID) -> Bool {
    switch id {
    case .header, .user, .netrc, .netrcFile, .maxConnectionsPerHost, .limitRate: true
    default: false
    }
  }
}

internal import CSwiftGetShims
internal import DownloadCore
internal import DownloadEngine
internal import DownloadWords
internal import Glibc

/// What the executable sets for its whole process: standard descriptors, signals, the limit of descriptors.
enum ProcessSetup {
  /// The highest limit of descriptors that is asked for; a higher one slows down whatever closes them all.
  private static let wantedDescriptorCount: UInt64 = 8192
  /// Assumed where getrlimit fails; POSIX promises 20, and every Linux gives 64.
  private static let leastDescriptorLimit = 64

  /// With fewer, not even one file can be downloaded: libraries take some, and report their lack as something else.
  private static let neededDescriptorLimit: rlim_t = 30

  /// Opens a null device on each of the descriptors 0 to 2 that is closed, makes SIGPIPE and SIGXFSZ errors of the call
  /// that caused them, and has the signals that a run handles end the process until then.
  ///
  /// Call it before the first file is opened, or a part file could become someone's standard error.
  static func prepare() throws(Failure) {
    try check("openat", openStandardDescriptors())
    try check("sigaction", setSignals())
    try checkDescriptorLimit()
    let signals = handledSignals
    shim_leave_on_signals(signals, Int32(signals.count))
  }

  private static func checkDescriptorLimit() throws(Failure) {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    guard limit.rlim_max >= neededDescriptorLimit else {
      throw Failure(
        .localIO, "cannot start: at most \(limit.rlim_max) files may be open; \(neededDescriptorLimit) are needed",
        hint: "raise the limit (ulimit -n)")
    }
  }

  private static func check(_ call: String, _ error: Int32?) throws(Failure) {
    guard let error else { return }
    throw Failure(.localIO, "cannot start: \(call): \(SystemMessages.reason(error))")
  }

  /// The null devices can be neither read as standard input nor written as standard output or error: EBADF.
  ///
  /// - Returns: an errno; nil on success.
  static func openStandardDescriptors() -> Int32? {
    let result = file_open_standard_descriptors()
    return result < 0 ? Int32(truncatingIfNeeded: -result) : nil
  }

  /// SIGPIPE and SIGXFSZ become EPIPE and EFBIG, which a child process inherits. The ends of children can be waited for.
  ///
  /// - Returns: an errno; nil on success.
  static func setSignals() -> Int32? {
    let result = file_set_signals()
    return result < 0 ? Int32(truncatingIfNeeded: -result) : nil
  }

  /// Raises the soft limit of descriptors towards the hard one and returns the limit now in force.
  static func raiseDescriptorLimit() -> Int {
    let result = file_raise_descriptor_limit(wantedDescriptorCount)
    return result < 0 ? leastDescriptorLimit : result
  }

  /// The signals that end a run and the one that asks for its status, except those that were ignored when the process
  /// started (nohup, a background job).
  static var handledSignals: [Int32] {
    [SIGINT, SIGTERM, SIGHUP, SignalWatch.statusSignal].filter { !isIgnored($0) }
  }

  /// The signal of Ctrl-Z, unless it is ignored. A run removes its display before it stops.
  static var stopSignals: [Int32] { isIgnored(SignalWatch.stopSignal) ? [] : [SignalWatch.stopSignal] }

  private static func isIgnored(_ signal: Int32) -> Bool {
    var action = sigaction()
    guard sigaction(signal, nil, &action) == 0 else { return false }
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == ignoredHandler
  }

  /// SIG_IGN, a macro that Swift cannot import.
  private static let ignoredHandler = 1
}

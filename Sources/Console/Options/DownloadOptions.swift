/// Options that say something about downloads, or about the files of lists, to commands that do neither.
enum DownloadOptions {
  /// Those that are given.
  static func given(_ invocation: Invocation) -> [String] {
    let selection = [
      ("--include", !invocation.filter.included.isEmpty), ("--exclude", !invocation.filter.excluded.isEmpty),
      ("--shard", invocation.shard != nil),
    ]
    let results = [
      ("--atomic", invocation.isAtomic), ("--prune", invocation.prunes), ("--lock", invocation.lock != nil),
      ("--frozen", invocation.frozen != nil),
      ("--failed", invocation.failed != nil), ("--report", invocation.report != nil),
      ("--strict", invocation.isStrict),
    ]
    return (selection + results).filter(\.1).map(\.0) + UnattendedOptions.given(invocation)
  }
}

package import DownloadCore
package import DownloadScratch
package import DownloadWords

/// What a person reads of sets of files that are published together (`--atomic`).
package enum SetMessages {
  package static func shown(_ directory: [UInt8]) -> String {
    directory.isEmpty ? "." : NamedFiles.shown(directory)
  }

  /// - Parameter time: the longest time to wait from now on.
  package static func waiting(_ directory: String, _ time: Duration) -> Diagnostic {
    Diagnostic(
      message: "waiting up to \(Humanized.duration(time)) for another run, which prepares the next set of \(directory)")
  }

  /// - Parameter prunedCount: the files that have left the set.
  package static func published(_ directory: String, prunedCount: Int) -> Diagnostic {
    let pruned = prunedCount > 0 ? ", without \(Humanized.count(prunedCount, "file")) that left the list" : ""
    return Diagnostic(message: "published: \(directory) has the new set" + pruned)
  }

  /// - Parameter stage: where the next run finds what was downloaded; nil where nothing was.
  package static func notPublished(_ directory: String, stage: [UInt8]?) -> Diagnostic {
    Diagnostic(
      message: "nothing is published: \(directory) is as it was before",
      hint: stage.map { "what was downloaded is in \(NamedFiles.shown($0)); the same command continues with it" })
  }

  package static func rest(_ failure: FileFailure) -> Diagnostic {
    Diagnostic(
      message: "warning: the new set is published, but the previous one is not removed: "
        + "\(Diagnostic.escaped(failure.name)): \(LocalFileMessages.message(failure.problem))",
      hint: "the next run with --atomic tries again")
  }

  /// The place for the next set, as the user names the directory.
  private static func stage(_ directory: [UInt8]) -> String {
    var path = directory
    while path.count > 1, path.last == UInt8(ascii: "/") { path.removeLast() }
    return shown(path + TargetName.nextSetSuffix)
  }

  /// - Parameter directory: of the set, as the user names it.
  package static func error(_ refusal: SetRefusal, directory: [UInt8]) -> Failure {
    let shown = shown(directory)
    switch refusal {
    case .failed(let failure): return LocalFileMessages.error(failure)
    case .held:
      return Failure(
        .locked, "--atomic: another run of swiftget prepares the next set of \(shown)",
        hint: "run the same command again later, or wait for it with --lock-wait TIME")
    case .isWorkingDirectory:
      return Failure(
        .usage, "--atomic: the working directory is in \(shown), which the run replaces",
        hint: "run swiftget in another directory, and name this one with -d", about: ["--dir"])
    case .isNoDirectory: return Failure(.localIO, "\(shown): it is not a directory")
    case .isMountPoint:
      return Failure(
        .localIO, "--atomic: \(shown) is a file system of its own, which cannot be replaced",
        hint: "name a directory in it with -d")
    case .cannotExchange(let errno):
      return Failure(
        .localIO, "--atomic: the file system of \(shown) cannot exchange directories: \(SystemMessages.reason(errno))",
        hint: "use a directory on ext4, XFS, Btrfs or tmpfs, or leave out --atomic")
    case .cannotLink(let errno):
      return Failure(
        .localIO, "--atomic: the file system of \(shown) has no hard links: \(SystemMessages.reason(errno))",
        hint: "use a directory on ext4, XFS, Btrfs or tmpfs, or leave out --atomic")
    case .cannotKeep(let name, let errno):
      return Failure(
        .localIO, "\(Diagnostic.escaped(name)): cannot be linked into the new set: \(SystemMessages.reason(errno))",
        hint: "the file may belong to another user, or have too many links; move it away, or run swiftget as its owner")
    case .isPart:
      return Failure(
        .usage,
        "--atomic: an earlier run has left an unfinished set of \(shown), and this one names neither all that is there nor "
          + "all that it lacks",
        hint: "give the whole list again, or the list of --failed; remove \(stage(directory)) to start over")
    case .conflict(let name):
      return Failure(
        .localIO, "\(Diagnostic.escaped(name)): it is a directory in one set, and a file in the other one",
        hint: "move it away, then run the same command again")
    }
  }
}

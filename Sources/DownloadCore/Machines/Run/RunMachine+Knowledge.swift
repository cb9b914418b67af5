/// What is known of items and hosts, for the driver.
extension RunMachine {
  package func file(_ item: ItemHandle) -> FileEntry? { files[item] }
  package func phase(of item: ItemHandle) -> FileMachine.Phase? { files[item]?.machine.phase }
  /// What was concluded of the whole content; nil where it is not whole.
  package func conclusion(of item: ItemHandle) -> Conclusion? { files[item]?.machine.conclusion }
  /// Whether the item may leave the machine and go on later without loss.
  ///
  /// - Parameter hasMore: whether more is being written than is done.
  package func mayPause(_ item: ItemHandle, hasMore: Bool) -> Bool {
    guard let entry = files[item] else { return false }
    let host = hosts.conditions(at: entry.machine.origin(ofMirror: entry.machine.currentMirror))
    return entry.machine.mayPause(on: host, hasMore: hasMore)
  }
  package func isPublishing(_ item: ItemHandle) -> Bool { files[item]?.machine.isPublishing ?? false }
  package func done(of item: ItemHandle) -> ByteRangeSet { files[item]?.machine.done ?? ByteRangeSet() }
  package func completeLength(of item: ItemHandle) -> Int64? { files[item]?.machine.completeLength }
  /// The end of the prefix that can be hashed.
  package func contiguousEnd(of item: ItemHandle) -> Int64 { files[item]?.machine.hashableEnd ?? 0 }
  /// The digests that the content must have, as far as they are known.
  package func expectedDigests(of item: ItemHandle) -> [ExpectedDigest] {
    files[item]?.machine.expectedDigests.all ?? []
  }
  /// The algorithms of the digests that judge the item's content, with that of the second fetch which an unproven end
  /// needs. A stream is hashed from its first byte on.
  package func judgingAlgorithms(of item: ItemHandle) -> [DigestAlgorithm] {
    files[item]?.machine.judgingAlgorithms ?? []
  }
  package func lastFault(of item: ItemHandle) -> TransferFault? { files[item]?.machine.lastFault }
  /// The hosts that keep requests waiting, by name.
  package func limitingHosts(now: Instant) -> [HostLimit] {
    let limits = hosts.all.compactMap { host -> HostLimit? in
      if let end = host.governor.pauseEnd(now: now) { return HostLimit(host.origin, .pause(end - now)) }
      guard host.queuedCount > 0, let rate = host.governor.requestRateLimit else { return nil }
      return HostLimit(host.origin, .rate(rate))
    }
    return limits.sorted { $0.origin.text < $1.origin.text }
  }

  package func governor(of origin: Origin) -> HostGovernor? { hosts[origin]?.governor }

  /// What the item's sidecar is to say of the version; nothing where the item is not at work.
  package func knowledge(of item: ItemHandle) -> VersionKnowledge {
    guard let entry = file(item) else { return VersionKnowledge() }
    var knowledge = entry.machine.knowledge
    let origin = entry.machine.origin(ofMirror: entry.machine.currentMirror)
    if governor(of: origin)?.isETagReliable == false { knowledge.isETagReliable = false }
    return knowledge
  }

  /// The URL, after redirects, from which the item's content comes. Of several mirrors one that supplied some of it. Nil
  /// where the item is not at work.
  package func source(of item: ItemHandle) -> Location? { file(item)?.machine.source }
  /// The validators of the answer of `source`.
  package func sourceValidators(of item: ItemHandle) -> Validators? { file(item)?.machine.sourceValidators }
  /// `Outcome.retryCount`; 0 where the item is not at work.
  package func retryCount(of item: ItemHandle) -> Int { file(item)?.machine.retryCount ?? 0 }
}

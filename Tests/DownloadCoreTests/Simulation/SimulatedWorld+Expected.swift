import DownloadCore

/// What a client owes in a world.
extension SimulatedWorld {
  /// Whether no fault occurs and every answer has strong validators, so that each byte is received about once.
  func isClean(_ item: Int) -> Bool {
    guard kills.isEmpty, files[item].changes.isEmpty, sources[item].count == 1, linkedCount == 0,
      let source = sources[item].first
    else {
      return false
    }
    guard !sources.joined().contains(where: { $0.tags == .rotating }) else { return false }
    return source.tags == .strong && source.framing == .length && source.cut == nil && source.lies.isEmpty
      && source.rangeCut == nil && source.rangeStatus == nil
      && source.servesRanges && !source.isCoded && !source.drawsHeads && source.status == nil
      && source.redirect == .none && !source.reshapesRanges && source.refusals.isEmpty && source.codedShare == 0
      && source.idleCoding == nil && source.tagGaps == 0 && source.dateGaps == 0 && source.otherVersion == nil
      && hosts.allSatisfy {
        $0.trouble.isEmpty && $0.connectionLimit == .max && $0.closesKeptProbability == 0 && $0.spoiltAttempts == 0
      }
  }

  /// Whether a correct server stays reachable within the allowed attempts for any random numbers, so that the file must
  /// be downloaded.
  func isServable(_ item: Int) -> Bool {
    let file = files[item]
    guard
      hosts.indices.allSatisfy({
        // A redirect may lead through both hosts with the same attempts.
        let spoiltAttempts =
          hosts[$0].spoiltAttempts + hosts[($0 + hosts.count / 2) % hosts.count].spoiltAttempts
        return hosts[$0].trouble.count * (1 + spoiltAttempts) + spoiltAttempts < settings.file.tries
          && !hosts[$0].keepsClosing
      })
    else {
      return false
    }
    // A host that lets one connection hang and refuses the others looks unreachable, and a throttled request counts as
    // an attempt if no other transfer is served.
    guard hosts.allSatisfy({ $0.trouble.isEmpty || $0.connectionLimit == .max }) else { return false }
    // So does one that is refused while the transfer that occupies the only connection stalls. Two of these are possible.
    let mayStall = sources.contains { $0.contains { $0.cut != nil } }
    guard settings.file.tries > 2 || !mayStall || hosts.allSatisfy({ $0.connectionLimit == .max }) else { return false }
    guard file.expectedLength == nil || (file.expectedLength == file.current.length && file.changes.isEmpty) else {
      return false
    }
    if !file.changes.isEmpty, file.hasGivenDigests || file.changes.count > 3 || file.changes == [.everyRequest] {
      return false
    }
    if file.hasGivenDigests {
      // An answer without validators may be an error page, so it never replaces what another mirror has begun.
      let areAllHonest = named(item).allSatisfy { isHonest(item, $0) || isAbsent(item, $0) }
      return named(item).contains { isHonest(item, $0) && (areAllHonest || hasValidators(item, $0)) }
    }
    // Without a digest the first mirror decides.
    guard isHonest(item, 0) else { return false }
    return named(item).dropFirst().allSatisfy { isHonest(item, $0) || isAbsent(item, $0) }
  }

  /// Whether each of its answers has a validator.
  private func hasValidators(_ item: Int, _ mirror: Int) -> Bool {
    let source = sources[item][mirror]
    return (source.tags != .none && source.tags != .weak && source.tagGaps == 0)
      || (source.tellsDate && source.dateGaps == 0)
  }

  /// Whether the mirror is unusable in a detectable way.
  private func isAbsent(_ item: Int, _ mirror: Int) -> Bool {
    let source = sources[item][mirror]
    return host(item, mirror).isDead || source.status == 404
      || (source.otherVersion != nil && source.framing == .length && source.cut == nil && source.lies.isEmpty
        && source.otherVersionShare >= 1 && source.codedShare == 0)
  }

  private func isHonest(_ item: Int, _ mirror: Int) -> Bool {
    let source = sources[item][mirror]
    let file = files[item]
    let hasGivenDigests = file.hasGivenDigests
    guard !host(item, mirror).isDead, source.status == nil, source.otherVersion == nil, source.lies.isEmpty,
      !source.drawsHeads
    else {
      return false
    }
    guard source.rangeCut == nil, source.rangeStatus == nil else { return false }
    if source.endsUnauthenticated, source.framing == .closeDelimited, !hasGivenDigests { return false }
    switch source.redirect {
    case .none: break
    case .chain(let count):
      if count > settings.file.maxRedirects { return false }
      // The host of the targets looks dead when those of another file are gone.
      if redirectsAcrossHosts, sources.contains(where: { $0.dropFirst(mirror).first?.isDying ?? false }) {
        return false
      }
    case .loop, .absent: return false
    case .waiting(_, let count): if count >= settings.file.tries { return false }
    case .serving: if !isUndisturbed(item) { return false }
    case .expiring, .dying:
      // Each end may cost one attempt. Progress needs time between them, which a queue of files may not leave.
      guard files.count == 1, hosts.allSatisfy({ $0.trouble.isEmpty }), isResumable(item, mirror) else { return false }
    }
    // The tag changes with every answer and no other validator identifies the version.
    if source.tags == .rotating, !source.tellsDate, source.hidesCompleteLength || source.framing != .length {
      return false
    }
    if let cut = source.cut {
      guard cut.lowerBound >= 16 << 10, isResumable(item, mirror), file.changes.isEmpty || source.tags == .strong else {
        return false
      }
    }
    if source.framing != .length, !file.changes.isEmpty || source.isCoded { return false }
    if source.isCoded || source.codedShare > 0, hasGivenDigests || file.expectedLength != nil || !file.changes.isEmpty {
      return false
    }
    if source.tags == .none, !source.tellsDate, !file.changes.isEmpty { return false }
    // One tag of coded and other bytes is a contradiction.
    if source.codedShare > 0, source.codedShare < 1 { return false }
    guard source.refusals.allSatisfy({ isHarmless($0, item, mirror) }) else { return false }
    if source.tagGaps > 0 || source.dateGaps > 0, !isAlwaysIdentified(item, mirror) { return false }
    return true
  }

  /// Whether nothing but its refusals can interrupt the first answer with the whole file.
  private func isUndisturbed(_ item: Int) -> Bool {
    let source = sources[item][0]
    return kills.isEmpty && pauses.isEmpty && files[item].changes.isEmpty && sources[item].count == 1
      && hosts.allSatisfy {
        $0.trouble.isEmpty && $0.spoiltAttempts == 0 && $0.connectionLimit == .max && $0.closesKeptProbability == 0
      }
      && source.cut == nil && source.lies.isEmpty && source.framing == .length && source.codedShare == 0
      && files.count == 1 && source.tags == .strong && source.tagGaps == 0
  }

  /// Whether the file can be had in spite of refusals: they deny ranges, which are not needed, or nothing makes further
  /// requests necessary.
  private func isHarmless(_ refusal: Behaviour.Refusal, _ item: Int, _ mirror: Int) -> Bool {
    if isUndisturbed(item), sources[item][mirror].redirect == .none {
      if sources[item][mirror].refusals.count > 1 { return false }
      switch refusal.kind {
      case .whole: return refusal.servedCount > 0
      // A transfer that ends where a served range begins does not bring all.
      case .any: return refusal.servedCount == 1
      case .range: return refusal.servedCount == 0 || [400, 403, 416, 501].contains(refusal.status)
      }
    }
    return false
  }

  /// Whether each answer has one of the validators that tell versions apart, or a digest does.
  private func isAlwaysIdentified(_ item: Int, _ mirror: Int) -> Bool {
    let source = sources[item][mirror]
    if files[item].hasGivenDigests { return source.framing == .length && files[item].changes.isEmpty }
    return (source.tags == .strong && source.tagGaps == 0 && areTagsReliable(mirror))
      || (source.dateGaps == 0 && isDateStrong(item, source))
  }

  private func isDateStrong(_ item: Int, _ source: Behaviour) -> Bool {
    source.tellsDate && source.tellsTime && files[item].changes.isEmpty
      && source.fixedDate ?? files[item].current.modified <= SimulatedDownload.unixStart - 2
  }

  /// Whether the host's tags stay reliable: those that change without any other change are not relied on.
  private func areTagsReliable(_ mirror: Int) -> Bool {
    let mayShareHost = dimensions.contains(.sharedHost)
    let areRotating = sources.contains { mirrors in
      mirrors.indices.contains {
        (mayShareHost || $0 == mirror)
          && (mirrors[$0].tags == .rotating || mirrors[$0].otherVersionShare < 1
            || mayShareHost && mirrors[$0].hasOwnTags)
      }
    }
    return !areRotating
      && files.reduce(0) { $0 + ($1.keepsLengthOnChange ? $1.changes.count : 0) } < 2
  }

  /// Whether a cut body can be resumed.
  private func isResumable(_ item: Int, _ mirror: Int) -> Bool {
    let source = sources[item][mirror]
    guard source.servesRanges, source.framing == .length, !source.isCoded else { return false }
    guard source.codedShare == 0 else { return false }
    return (source.tags == .strong && source.tagGaps == 0 && areTagsReliable(mirror))
      || (source.dateGaps == 0 && isDateStrong(item, source))
      || (files[item].hasGivenDigests && source.tags != .rotating)
  }
}

#!/usr/bin/env bash
# Removes guards from DownloadCore one at a time, in a copy of the package. The simulation, or the tests of the machines
# or of the rules for versions, must fail for each.
# Run from the repository's root. The last line is `N passed, M failed`.
set -u
. Tests/mutation.sh
sources=$copy/Sources/DownloadCore

cp -r "$root/Sources" "$root/Tests" "$copy/"
# Only what the simulation needs: a mutant is then built in seconds, and without libcurl.
cat > "$copy/Package.swift" <<'PACKAGE'
// swift-tools-version:6.0
import PackageDescription
let swift: [SwiftSetting] = [.enableUpcomingFeature("InternalImportsByDefault")]
let package = Package(
  name: "mutants",
  targets: [
    .target(name: "DownloadCore", resources: [.embedInCode("Foreign/foreign-options.tsv")], swiftSettings: swift),
    .target(
      name: "TestSupport", dependencies: ["DownloadCore"], path: "Tests/TestSupport", sources: ["SeededGenerator.swift", "Digests+Test.swift", "Handles+Test.swift"],
      swiftSettings: swift),
    .testTarget(
      name: "DownloadCoreTests", dependencies: ["DownloadCore", "TestSupport"],
      sources: [
        "Simulation", "Queue", "Machines", "HTTP/ResponseHeadParserTests.swift", "HTTP/DigestFieldsTests.swift",
        "Versions/ResumePolicyTests.swift", "Digests/VerificationTests.swift",
      ],
      swiftSettings: swift),
  ],
  swiftLanguageModes: [.v6]
)
PACKAGE

notices() {
  # Optimised file by file: a mutant is built in seconds, and the simulation is ten times as fast.
  local options=(-Xswiftc -O)
  (cd "$copy" && swift build "${options[@]}" --build-tests > build.log 2>&1) || return 2
  # The quick tests first: most mutants do not get beyond them. Tests that never end have noticed the mutant, too.
  local most=${SWIFTGET_SIMULATION_ROUNDS:-4000}
  (cd "$copy" && timeout 600 swift test "${options[@]}" --skip-build --skip Simulated > test.log 2>&1) || return 1
  for rounds in $((most / 20)) "$most"; do
    (cd "$copy" && SWIFTGET_SIMULATION_ROUNDS=$rounds timeout 600 \
      swift test "${options[@]}" --skip-build --filter 'Simulated downloads|Simulated cost|Simulated request rates' > test.log 2>&1) || return 1
  done
}

# Answers.
mutant 'entity tags are compared' Versions/Representation.swift \
  'return mine.opaque == other.opaque ? .same : .different(.entityTag)' 'return .same'
mutant 'modification times are compared' Versions/Representation.swift \
  'if mine != other { return .different(.lastModified) }' ''
mutant 'a weak modification time confirms nothing' Versions/Representation.swift \
  'return lastModifiedIsStrong ? .same : .undecided' 'return .same'
mutant 'an answer without validators confirms nothing' Machines/Answers/ResponseJudge.swift \
  'guard isVerifiable || trustsLength(of: version, and: known) else' \
  'guard isVerifiable || known.hasLength(of: version) else'
mutant 'tags of mirrors that differ tell more than equal lengths' Machines/Answers/ResponseJudge.swift \
  'return !isOtherMirror || known.comparedAcrossMirrors(to: version) != .different(.entityTag)' 'return true'
mutant 'mirrors must agree' Machines/Answers/ResponseJudge.swift \
  'return agrees ? .same : .unknown' 'return .same'
mutant 'tags of mirrors must be equal' Versions/Representation.swift \
  'if mine.opaque != theirs.opaque { return .different(.entityTag) }' ''
mutant 'an equal date is no tag' Versions/Representation.swift \
  'guard let mine = validators.entityTag, let theirs = other.validators.entityTag else { return .undecided }' \
  'guard let mine = validators.entityTag, let theirs = other.validators.entityTag else {
      return validators.lastModified == other.validators.lastModified ? .same : .undecided
    }'
mutant 'a whole answer of another mirror proves its version by a tag' Machines/Answers/VersionState.swift \
  ': representation.comparedAcrossMirrors(to: answer)' \
  ': representation.validators.compared(to: answer.validators, on: host)'
mutant 'tags that differ outweigh a trusted length' Machines/Answers/ResponseJudge.swift \
  "return !isOtherMirror || known.comparedAcrossMirrors(to: version) != .different(.entityTag)" 'return true'
mutant 'the Content-Range starts where it was asked' Machines/Run/HTTPAnswer.swift \
  'guard range.lowerBound == asked.start else' 'guard range.lowerBound >= 0 else'
mutant 'the complete length is compared' Machines/Answers/ResponseJudge.swift \
  'let now = version.completeLength, was != now {' 'let now = version.completeLength, was < 0 {'
mutant 'a range is answered with 206' Machines/Answers/ResponseJudge.swift \
  'return .wholeInsteadOfRange(version)' \
  'if case .range(let range) = asked { return .range(range, version) }; return .wholeInsteadOfRange(version)'
mutant 'a 206 has a Content-Range' Machines/Run/HTTPAnswer.swift \
  'guard !head.hasMalformedContentRange, case .satisfied(let range, _)? = head.contentRange else {' \
  'guard case let range = { () -> Range<Int64> in
      if case .satisfied(let range, _)? = head.contentRange { return range }
      if case .range(let range) = asked { return range }
      return asked.start..<asked.start + 1
    }(), !range.isEmpty else {'
mutant 'a range is not coded' Machines/Run/HTTPAnswer.swift \
  'guard head.contentEncoding == nil else {' 'guard head.status == 206 else {'
mutant 'an unidentified answer replaces nothing' Machines/Answers/ResponseJudge.swift \
  'isIdentified(version, answer) || !isIdentified(known)' 'asked == .whole || isIdentified(version, answer) || !isIdentified(known)'
mutant 'an answer that cannot be compared replaces nothing' Machines/Answers/ResponseJudge.swift \
  'return version.validators.canIdentify(on: host) || hasLostValidators(known, version)
        ? .changed(.validators, version) : .refused(Self.unidentified)' 'return .changed(.validators, version)'
mutant 'a 200 with a Content-Range is no version' Machines/Run/HTTPAnswer.swift \
  'if isCalledPart(head) { return violation(.contentRangeInWhole) }' ''
mutant 'a page of another host is no file' Machines/Answers/ForeignPage.swift \
  'return isPageName(name) ? .doubtful : .wrong' 'return .doubtful'
mutant 'a body without a length over HTTP/2 is not believed' Machines/Files/FileMachine+Answers.swift \
  'if answer.endsWithStream, !context.avoidsHTTP2,' 'if answer.endsWithStream, context.avoidsHTTP2, !context.avoidsHTTP2,'
mutant 'a host without HTTP/1.1 needs a second fetch' Machines/Answers/VersionState.swift \
  '!(answer.endsWithConnection || answer.endsWithStream)' '!answer.endsWithConnection'
mutant 'the first answer brings what a refused range does not' Machines/Files/FileMachine+Answers.swift \
  'mirrors[mirror].ranges.refusedFurther()
    reachFurther(mirror, &actions)' 'mirrors[mirror].ranges.refusedFurther()'
mutant 'ranges are asked for again a few times only' Machines/Mirrors/MirrorSet.swift \
  'guard rangeRetryCount < Self.mostRangeRetries else { return }' ''
mutant 'a folded Transfer-Encoding is malformed' HTTP/ResponseHeadParser.swift \
  'if isFraming || Self.isDangerous(line) { return false }' 'if Self.isDangerous(line) { return false }'
mutant 'one strong validator for two lengths is a contradiction' Machines/Answers/ResponseJudge.swift \
  'return difference.map { .contradiction($0) } ?? .same' \
  'return difference.map { .different($0) } ?? .same'
mutant 'only a plain GET brings another version' Machines/Answers/ResponseJudge.swift \
  'return mayDisplace(known, version, answer) ? .versionInDoubt(reason)' \
  'return mayDisplace(known, version, answer) ? .changed(reason, version)'
mutant 'a body of unknown length in answer to a range may be a fragment' Machines/Answers/ResponseJudge.swift \
  'case .same where known.hasLength(of: version): return .wholeInsteadOfRange(version)' \
  'case .same where version.completeLength == nil || known.hasLength(of: version): return .wholeInsteadOfRange(version)'
mutant 'claims are compared' Machines/Answers/ResponseJudge.swift 'return expectedDigests.contradict(answer) ? .digest : nil' 'return nil'
mutant 'a known length holds for a body of unknown length' Machines/Answers/ResponseJudge.swift \
  'case .same: return .whole(version.knowing(known.completeLength))' 'case .same: return .whole(version)'

# Digests.
mutant 'a digest that was not computed matches nothing' Digests/Verification.swift \
  'self = .notComputed(one)
        return' 'continue'
mutant 'a second fetch verifies nothing' Digests/Verification.swift 'self != .confirmation' 'self != .given || true'
mutant 'no answer removes an expected digest' Machines/Answers/ExpectedDigests.swift \
  'if !areKnown { claimed = answer.claims }' 'claimed = answer.claims'
mutant 'claims of the first run stay expected' Versions/VersionKnowledge.swift \
  'claimedDigests = knowledge.expectedDigests.filter { $0.source == .server }.map(\.digest)' 'claimedDigests = []'
mutant 'digests given in the first run stay expected' Versions/VersionKnowledge.swift \
  'digests = knowledge.expectedDigests.filter { $0.source == .given }.map(\.digest)' 'digests = []'
mutant 'a coded body is not resumed' Versions/ResumePolicy.swift \
  'if let coding = record.contentCoding {' 'if let coding = record.contentCoding, coding.isEmpty {'
mutant 'an unconfirmed length is not recorded' Machines/Answers/VersionState.swift \
  'let isLengthCertain = end != .unproven' 'let isLengthCertain = true'
mutant 'unreliable entity tags stay unreliable' Versions/ResumePolicy.swift \
  'let isETagReliable = !record.flags.contains(.unreliableTags)' 'let isETagReliable = true'
mutant 'a late answer does not refute entity tags' Machines/Mirrors/EntityTagEvidence.swift \
  'let isLate = transfer <= lastTransferAtChange' 'let isLate = false'
mutant 'one other tag is a new version' Machines/Mirrors/EntityTagEvidence.swift \
  'return tags.count >= Self.leastDifferentTags && tags.count == answerCount' 'return true'
mutant 'tags of a former version tell nothing' Machines/Mirrors/EntityTagEvidence.swift \
  'guard mayBeSameVersion(answer) else {' 'guard mayBeSameVersion(answer) || tags.count < 9 else {'
mutant 'refused ranges are no refused file' Machines/Answers/ResponseJudge.swift \
  'asked == .whole ? .refused(.status(status)) : .rangesRefused(status: status)' \
  'asked != .from(-1) ? .refused(.status(status)) : .rangesRefused(status: status)'
mutant 'the whole file is requested before a mirror is given up' Machines/Files/FileMachine+Faults.swift \
  'if wasAskedForRanges, mirrors[mirror].ranges.areSuspect {' 'if mirrors.count == 0 {'
mutant 'a version of this run is not given up for a length' Machines/Answers/ResponseJudge.swift \
  'isRecalled && known' 'known'
mutant 'a version is recalled until an answer shows it' Machines/Answers/VersionState.swift \
  '    recordedContentStays(keepsContent)
' ''
mutant 'a version is recalled until a range shows it' Machines/Answers/VersionState.swift \
  '    recordedContentStays(true)
' ''
mutant 'validators are lost only with the same length' Machines/Answers/ResponseJudge.swift \
  'isRecalled && known.hasLength(of: version)' 'isRecalled'

# Kept bytes.
mutant 'only a confirmed prefix is kept' Machines/Answers/VersionState.swift \
  'return comparison == .same ||' 'return true ||'
mutant 'bytes of another URL stay only where everything agrees' Machines/Answers/VersionState.swift \
  'if isRecalled, !isOwn, comparison == .same {' 'if isRecalled, !isOwn, comparison != .same {'
mutant 'another URL must have the time' Versions/Representation.swift 'return time == otherTime' 'return true'
mutant 'another URL must have the tag' Versions/Representation.swift \
  'mine == other.validators.entityTag?.opaque' '!mine.isEmpty'
mutant 'a tag names versions of one URL' Versions/ResumePolicy.swift \
  'guard !namesakes.isEmpty, isETagReliable' 'guard isETagReliable'

# Existing files.
mutant 'a new tag is a new version' Machines/Answers/LocalCopy.swift \
  'if mark == .matching, let isSameTag {' 'if mark == .matching, let isSameTag, isSameTag {'
mutant 'a tag is compared for a file that matches its mark' Machines/Answers/LocalCopy.swift \
  'if mark == .matching, let isSameTag {' 'if let isSameTag {'
mutant 'an answer without validators replaces no file that had some' Machines/Answers/LocalCopy.swift \
  'return theirs.isEmpty && (isDated' 'return theirs.isEmpty && size < 0 && (isDated'
mutant 'the date of a file that does not match its mark is no condition' Machines/Answers/LocalCopy.swift \
  'mark == .matching || mark == .none && size > 0' 'size > 0'
mutant 'a date alone confirms no file' Machines/Answers/LocalCopy.swift \
  'if mark == .matching { return .keep }
    guard' 'if mark != .broken { return .keep }
    guard'
mutant 'the latest time of a file system stands for later ones' Machines/Answers/LocalCopy.swift \
  'return Self.latestTimes.contains(modified) ? .same : .newer' 'return .newer'
mutant 'a file of another URL is compared by tag and time' Machines/Answers/LocalCopy.swift \
  'guard mark == .ofOtherURL else { return nil }' 'guard mark == .ofOtherURL, size < 0 else { return nil }'
mutant 'a tag is that of the original URL' Machines/Files/FileMachine+Demand.swift 'if mirror > 0 { known.entityTag = nil }' ''
mutant 'a name from the network replaces marked files only' Machines/Existing/ExistingTargetPolicy.swift \
  'let mayReplace = !request.isNamedByNetwork || copy.mark == .matching' 'let mayReplace = true'

# Ends of bodies.
mutant 'a longer body is cut at the asked end' Machines/Files/FileMachine+Answers.swift \
  'wanted = range.lowerBound..<min(range.upperBound, asked.upperBound)' 'wanted = range.lowerBound..<max(range.upperBound, asked.lowerBound)'
mutant 'a transfer ends where the next segment begins' Machines/Ranges/RangePlanner.swift \
  'cut(other, at: max(active[other].position, wanted.lowerBound), &actions)' \
  'active[other].end = max(active[other].position, wanted.lowerBound)'
mutant 'a range must bring something' Machines/Files/FileMachine+Endings.swift \
  'return transfer.position - transfer.bodyStart < MirrorAttempts.progressByteCount' 'return transfer.position < 0'
mutant 'a body that its connection ends is confirmed' Machines/Answers/VersionState.swift \
  'var needsConfirmation: Bool { end == .unproven' 'var needsConfirmation: Bool { end == .confirmed'
mutant 'an end without close_notify does not complete a body' Machines/Files/FileMachine+Endings.swift \
  'case .unauthenticatedEnd where !mayEnd(transfer):' 'case .unauthenticatedEnd where active.count > 99:'
mutant 'the expected length is compared at the end' Machines/Files/FileMachine+Endings.swift \
  'expectedLength.map { $0 != length } ?? false' 'expectedLength.map { $0 < 0 } ?? false'
mutant 'digests are compared at the end' Machines/Files/FileMachine+Endings.swift \
  'expected: expectedDigests.all,' 'expected: [],'

# Bounds.
mutant 'attempts are bounded' Machines/Files/FileMachine+Faults.swift \
  'if mirrors[mirror].attempts.fruitlessCount >= settings.tries,' 'if mirrors[mirror].attempts.fruitlessCount == .max,'
mutant 'an outage is waited for as long as patience lasts' Machines/Files/FileMachine+Faults.swift \
  'if !settings.retries.areUsedUp(' 'if false, !settings.retries.areUsedUp('
mutant 'patience ends' Machines/Retries.swift \
  'if let patience, fault.isOutage { return now - since >= patience }' 'if patience != nil, fault.isOutage { return false }'
mutant 'patience is for outages only' Machines/Retries.swift 'if let patience, fault.isOutage {' 'if let patience {'
mutant 'progress begins the time of an outage anew' Machines/Mirrors/MirrorAttempts.swift \
  'if fruitlessCount == 0 { fruitlessSince = now }' 'if fruitlessSince == .zero { fruitlessSince = now }'
mutant 'a file with fewer tries gives a host up earlier' Machines/Hosts/HostGovernor.swift \
  'case .unreachable(let failures, _) where failures.count >= tries: return .dead(failures.fault)' ''
mutant 'without a network nothing begins' Machines/Run/RunMachine+Starts.swift \
  'guard network.mayReach(host.origin) else { return }' ''
mutant 'without a network no try is used up' Machines/Run/NetworkState.swift \
  'if isOffline { return .distantFuture }' ''
mutant 'a transfer that outlives a loss of the network uses up no try' Machines/Run/NetworkState.swift \
  'startedAt < returnedAt && !fault.isRefusal ? now : nil' 'nil'
mutant 'what a server refuses after a loss of the network is an answer' Machines/Run/NetworkState.swift \
  'startedAt < returnedAt && !fault.isRefusal' 'startedAt < returnedAt'
mutant 'a change of the network is no loss' Machines/Run/NetworkState.swift \
  'if isOffline { returnedAt = now }' 'returnedAt = now'
mutant 'this machine is asked as before a loss of the network' Machines/Run/NetworkState.swift \
  'guard !host.isLoopback, fault.isOutage' 'guard fault.isOutage'
mutant 'this machine needs no network' Plan/Location.swift 'host == "localhost" ||' 'host == "x" ||'
mutant 'restarts are bounded' Machines/Answers/VersionState.swift \
  'return changeCount <= Self.changeLimit' 'return true'
mutant 'mismatches are bounded' Machines/Answers/IntegrityFailures.swift \
  'unexplainedCount < Self.limit && ' ''
mutant 'the same wrong content again is final' Machines/Answers/IntegrityFailures.swift \
  '(content.digest != last?.digest || !isConclusive)' 'true'
mutant 'a body that is cut at the same place again is fetched again' Machines/Files/FileMachine+Conclusion.swift \
  'isConclusive: !isConfirmation' 'isConclusive: true'
mutant 'the same wrong content of two mirrors is final' Machines/Answers/IntegrityFailures.swift \
  'content == last' 'content.digest == last?.digest'
mutant 'a content that the command has touched must be the same' Machines/Files/FileMachine+Conclusion.swift \
  'guard computed == conclusion.computed else' 'guard computed == conclusion.computed || settings.isJudged else'
mutant 'a content that the command has touched is hashed again' Machines/Files/FileMachine+Conclusion.swift \
  'case .accepted: publish(conclusion, &actions)' 'case .accepted, .touched: publish(conclusion, &actions)'
mutant 'a content is judged before it has its name' Machines/Files/FileMachine+Conclusion.swift \
  'guard settings.isJudged else' 'guard !settings.isJudged else'
mutant 'the same wrong content again of one mirror is blamed on it' Machines/Files/FileMachine+Conclusion.swift \
  'expectedDigests.areGiven || integrityFailures.isRepeated(content)' 'expectedDigests.areGiven'
mutant 'bytes of an earlier run are blamed on no mirror' Machines/Mirrors/MirrorSet.swift \
  'guard sources.count == 1, !states[sources[0]].includesEarlierRun else' 'guard sources.count == 1 else'
mutant 'a target of a redirect that brings nothing is no endless detour' Machines/Mirrors/Redirects.swift \
  'return byteCount >= Retries.ampleByteCount' 'return true'
mutant 'redirects are bounded' Machines/Mirrors/Redirects.swift 'guard hopCount < limit else' 'guard limit > 0 else'
mutant 'bytes fetched again are no progress' Machines/Ranges/RangePlanner.swift \
  'let progress = max(0, done.byteCount - mostDone)' 'let progress = added'
mutant 'an unreachable host is given up' Machines/Hosts/Reachability.swift \
  'guard !retries.areUsedUp(' 'guard true || retries.areUsedUp('
mutant 'a name that does not exist gets two tries' Machines/Retries.swift \
  'return failures >= (fault.isUnknownHost ? min(tries, Self.unknownHostTries) : tries)' 'return failures >= tries'
mutant 'closed kept connections are repeated a few times' Machines/Mirrors/MirrorAttempts.swift \
  'return unansweredCount <= Self.mostUnanswered' 'return unansweredCount > 0'

mutant 'after a range without progress one is tried at a time' Machines/Mirrors/RangeBehaviour.swift \
  'guard fruitlessCount > 0 else { return true }' 'guard fruitlessCount < 0 else { return true }'
mutant 'bytes of other transfers are no progress of a range' Machines/Files/FileMachine+Progress.swift \
  'if transfer.recorded >= MirrorAttempts.progressByteCount, transfer.asked != .whole {' 'do {'
mutant 'a crawling connection is replaced where ranges are served' Machines/Files/FileMachine+Laggards.swift \
  'guard segments.mayHurry, transfer.purpose == .content, !mirrors[transfer.mirror].ranges.isAvoided,' \
  'guard segments.mayHurry, transfer.purpose == .content,'
mutant 'a mirror whose file keeps changing is left for one that may match the digest' Machines/Files/FileMachine+Answers.swift \
  'let isOtherLeft = version.hasGivenDigests && mirrors.hasOther(than: mirror)' 'let isOtherLeft = mirrors.count == 0'
mutant 'a mirror that shows no version is kept while digests may refute the others' \
  Machines/Files/FileMachine+Answers.swift \
  'where isOtherMirror && version.hasGivenDigests && mirrors[mirror].isAgreeing:' 'where mirrors.count == 0:'
mutant 'a refuted version is replaced by any of a fitting length' Machines/Answers/ResponseJudge.swift \
  'isRefuted || isIdentified(version, answer)' 'isIdentified(version, answer)'
mutant 'mirrors without a right piece leave no version behind' Machines/Files/FileMachine+Pieces.swift \
  'if isRefuted, pieces' 'if leaving.count > 99, pieces'

# Load on servers.
mutant 'Retry-After delays requests to the host' Machines/Hosts/HostGovernor.swift \
  'pausedUntil = max(pausedUntil, now + wait)' 'pausedUntil = max(pausedUntil, now + wait * 0)'
mutant 'a fruitless attempt is followed by a pause' Machines/Files/FileMachine+Faults.swift \
  'mirrors[mirror].attempts.wait(until: notBefore)' ''
mutant 'a slow mirror is left once' 'Machines/Files/FileMachine+Laggards.swift' \
  'where !mirrors[mirror].isLaggard && isLagging' 'where isLagging'
mutant 'a range without recorded bytes is used whatever was fetched twice before' Machines/Ranges/RangePlanner.swift \
  'max(0, (completeLength ?? 0) / Self.duplicateDivisor - duplicateByteCount)' \
  '(completeLength ?? 0) / Self.duplicateDivisor - duplicateByteCount'
mutant 'mirrors do not pass a segment to and fro' 'Machines/Ranges/RangePlanner+Next.swift' \
  'role: isFresh || racedSegment' 'role: racedSegment'
mutant 'a divided range leaves its transfer the least size' 'Machines/Ranges/RangePlanner+Next.swift' \
  'max(MirrorAttempts.progressByteCount, settings.minSplitSize ?? 0)' 'MirrorAttempts.progressByteCount'
mutant 'a slow connection gets no part below the least size' 'Machines/Ranges/RangePlanner+Next.swift' \
  'Self.leastDividedByteCount), leastPartByteCount)' 'Self.leastDividedByteCount), Self.leastRequestByteCount)'
mutant 'a part that is aligned has the least size' 'Machines/Ranges/RangePlanner+Next.swift' \
  'return max(aligned(max(wanted, pace(context))), leastPartByteCount)' \
  'return max(aligned(max(wanted, pace(context))), Self.leastRequestByteCount)'
mutant 'a stopped transfer frees its slot' Machines/Run/RunMachine.swift \
  'isStopped: true, now: now ?? lastTick)' \
  'isStopped: true, now: now ?? lastTick)
        transfer.host.governor.started(now: now ?? lastTick)'
mutant 'the host has a maximum' Machines/Hosts/ConnectionSlots.swift \
  'guard active < limit else { return .full }' 'guard active < limit else { return .free }'
mutant 'a limit on connections is no failure' Machines/Mirrors/MirrorAttempts.swift \
  'if fault.kind == .unreachable { return true }' 'if fault.kind == .unreachable { return false }'
mutant 'a refusal does not raise the number of transfers' Machines/Answers/Answer.swift \
  'status == 404 || status == 410' 'status != 0'
mutant 'final answers without content raise the number of transfers' Machines/Run/RunMachine.swift \
  'transfers.answeredWithoutContent(id)
      host.governor.answeredWithoutContent()' ''
mutant 'an error page is no service' Machines/Hosts/HostTraffic.swift \
  'if !hasContent { unwantedByteCount &+= Self.requestWork }' ''
mutant 'a host that limits the rate gets no request early' Machines/Hosts/HostGovernor.swift \
  'case .free: requestRate.earliestStart(now: now).map { .wait(until: $0) } ?? .granted' 'case .free: .granted'
mutant 'the rate is to blame for refusals of lone requests only' Machines/Hosts/RequestRate.swift \
  'guard isLone, loneCount + 1 >=' 'guard loneCount + 1 >='
mutant 'the limit on concurrency stands where a trial beyond it is refused' Machines/Hosts/RequestRate.swift \
  'if endTrial(sentAt: sentAt, now: now) { return true }' ''
mutant 'a refusal after a raise ends the trials' Machines/Hosts/RequestRate.swift \
  'if raise > 1 { noTrialUntil = now + Self.trialRetention }' ''
mutant 'a rate that is refused after a raise is restored' Machines/Hosts/RequestRate.swift \
  'rate = rateBeforeRaise' '_ = rateBeforeRaise'
mutant 'a pace that does not end the refusals is given up' Machines/Hosts/RequestRate.swift \
  'return known.refusedCount * 4 > count' 'return false'
mutant 'a file is not to blame for the rate of all' Machines/Hosts/HostGovernor.swift \
  '(requestRate.isInQuestion || servedUntil > sentAt)' '(servedUntil > sentAt)'
mutant 'a request beside which another was served is not refused alone' Machines/Hosts/HostGovernor.swift \
  '(requestRate.isInQuestion || servedUntil > sentAt)' 'requestRate.isInQuestion'

# Requests a second.
mutant 'requests are spaced' Machines/Limits/RequestSpacing.swift \
  'next = max(next, now) + .seconds(1 / rate)' 'next = now'
mutant 'a pause between requests is not made up for' Machines/Limits/RequestSpacing.swift \
  'next = max(next, now) + .seconds(1 / rate)' 'next = next + .seconds(1 / rate)'

# Mirrors that servers name.
mutant 'linked mirrors need a strong digest' Machines/Answers/VersionState.swift \
  'return mixesMirrors && !hasPieces && expectedDigests.areStrong' 'return mixesMirrors && !hasPieces'
mutant 'linked mirrors never decide the version' Machines/Files/FileMachine+Answers.swift \
  'case .whole, .wholeInsteadOfRange, .changed, .versionInDoubt, .rangesRefused, .notModified: false' 'default: true'
mutant 'linked mirrors name no others' Machines/Files/FileMachine+Answers.swift \
  'guard !mirrors[mirror].isLinked, settings.canHashLate else' 'guard settings.canHashLate else'
mutant 'linked mirrors are asked for ranges only' Machines/Files/FileMachine+Demand.swift \
  '!done.isEmpty || isLinked,' '!done.isEmpty,'
mutant 'linked mirrors are asked only while the version admits them' Machines/Mirrors/MirrorSet.swift \
  'states[$0].isLeft && (admitsLinked || !states[$0].isLinked) }' 'states[$0].isLeft }'
mutant 'linked mirrors leave when content is discarded' Machines/Mirrors/MirrorSet.swift \
  'states[mirror].contentDiscarded() }
    dropLinked()' 'states[mirror].contentDiscarded() }'
mutant 'linked mirrors are no alternative to a wrong one' Machines/Mirrors/MirrorSet.swift \
  'states[$0].isLeft && !states[$0].isLinked }' 'states[$0].isLeft }'

# Questions.
mutant 'a HEAD that may be refused for itself is followed by a GET' Machines/Files/FileMachine+Answers.swift \
  'case .refused(let fault) where !fault.concernsMethod:' 'case .refused(let fault):'
mutant 'a question stores nothing' Machines/Files/FileMachine+Answers.swift \
  'if case .probe = beginning { return afterwards(index, .keepExisting, answer) }' ''
mutant 'a question is answered with the length of the list' Machines/Files/FileMachine+Answers.swift \
  'segments.judged(index, refusal(of: content) ?? .keepExisting)' 'segments.judged(index, .keepExisting)'

# Pieces.
mutant 'a mirror that supplies a piece wrong again and again is left' Machines/Ranges/PieceLedger.swift \
  '|| troubles.values.contains { $0.loneCounts[mirror, default: 0] >= IntegrityFailures.limit }' ''
mutant 'a wrong piece has a single source from its request on' Machines/Ranges/PieceLedger.swift \
  'let hasBegun = beginners.contains(other) || hasBegun(other, piece)' 'let hasBegun = hasBegun(other, piece)'
mutant 'the changes of one mirror do not count against another' Machines/Files/FileMachine+Answers.swift \
  'if isOtherLeft { version.changesCountAnew() }' ''
mutant 'tags that keep changing end ranges' Machines/Mirrors/RangeBehaviour.swift \
  'tagChangeCount += 1' ''
mutant 'a range without a length tells no other version' Machines/Answers/VersionState.swift \
  'if !tellsLength, completeLength != nil, !mirror.isOnly { return false }' ''

mutant 'bytes of a coded version are not worth keeping' Machines/Answers/ResponseJudge.swift \
  ' && known.contentCoding == nil)' ')'

# The queue.
mutant 'a host that does not answer gets a quarter of the places' Machines/Run/RunMachine.swift \
  'return isOnlyHost || host.fileCount < max(1, jobs / 4) || host.governor.isAnswering(now: now)' 'return true'
mutant 'files that wait at a redirect target count for their own host' Machines/Run/RunMachine.swift \
  'guard host.queuedCount < Self.mostQueued else { return false }' ''
mutant 'lanes give the earliest task' Queue/QueueMachine.swift \
  'first.map({ found.key < $0.key }) ?? true' 'first == nil'
mutant 'a task keeps its place behind an earlier one of its host' Queue/QueueLanes.swift \
  'if key <= place.key { return (key, place.host) }' 'if true { return (key, place.host) }'
mutant 'a task that its host keeps from beginning says so' Queue/TaskStanding.swift \
  'if hosts.isParked(task.host) { return .host }' ''
mutant 'a task that its group keeps from beginning says so' Queue/TaskStanding.swift \
  'if let jobs = group.jobs, group.placeCount >= jobs { return .group }' ''
mutant 'what is in the spool comes after what is known' Queue/QueueLanes.swift \
  'spooled.isEmpty || entry.key < last {' 'spooled.isEmpty {'
mutant 'the only host gets all places once nothing else can come' Queue/QueueMachine.swift \
  'if isComplete, hosts.waitingCount == 1 { unparkAll() }' ''
mutant 'a task that is paused or withdrawn waits no longer' Queue/TaskWaits.swift \
  '    waits[task] = nil
    return true' '    return true'
mutant 'files that are released end no other wait' Queue/TaskWaits.swift \
  'reason == nil || wait.reason == reason' 'true'
mutant 'a handle that was given back means nothing' Queue/ItemTable.swift \
  'guard let item = all.removeValue(forKey: handle) else { return nil }' 'guard let item = all[handle] else { return nil }'
mutant 'a place is given back once' Queue/ItemTable.swift 'if item.hasPlace { placeCount -= 1 }' 'placeCount -= 1'
mutant 'a place of a group is given back once' Queue/QueueMachine+Ends.swift \
  'if item.hasPlace { groups[' 'do { groups['

# Commands.
mutant 'a paused task does not begin' Queue/QueuedTask.swift \
  'var isReady: Bool { state == .queued && !isPaused }' 'var isReady: Bool { state == .queued }'
mutant 'nothing of a paused group begins' Queue/QueueMachine.swift \
  'var mayBegin: Bool { !isPaused && placeCount < jobs ?? .max }' 'var mayBegin: Bool { placeCount < jobs ?? .max }'
mutant 'a group has its own places' Queue/QueueMachine.swift \
  'var mayBegin: Bool { !isPaused && placeCount < jobs ?? .max }' 'var mayBegin: Bool { !isPaused }'
mutant 'what is active is paused with its group' Queue/QueueMachine+Commands.swift \
  'if groups[Int(index)].isPaused { pauseActive(&answer) { $0.group == index } }' ''
mutant 'a task that is paused while it waits does not begin at its time' Queue/QueueMachine+Commands.swift \
  'answer.effects.append(.pause(handle)) }
    endWait(of: task.id)' 'answer.effects.append(.pause(handle)) }'
mutant 'a removed task is forgotten when it ends' Queue/QueueMachine+Ends.swift \
  'guard task.state != .leaving, settled.limit > 0' 'guard settled.limit > 0'
mutant 'ranks stay in order when they are numbered again' Queue/QueueMachine+Commands.swift \
  'tasks.all.sorted { $0.key.rank < $1.key.rank }' 'tasks.all.sorted { $0.key < $1.key }'
mutant 'a file that leaves its host tells of the room' Machines/Run/RunMachine.swift \
  'if let home = entry.leaves() { roomChanges.append(home) }' '_ = entry.leaves()'

finish

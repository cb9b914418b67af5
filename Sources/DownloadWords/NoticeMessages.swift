package import DownloadCore

/// What a person reads of a notice: one row for each remark.
package enum NoticeMessages {
  /// Not redacted.
  package static func text(_ remark: Remark, in vocabulary: Vocabulary) -> String {
    switch remark {
    case .startingOver(let reason): startingOver(reason)
    case .sidecarIgnored(let reason): "ignoring the sidecar: \(told(reason))"
    case .sidecarExceedsPart: "ignoring the sidecar: the part file is too short for it"
    case .goingOn(let byteCount): "resuming after \(byteCount) bytes"
    case .foreignFileLeftAlone(let file): ErrorMessages.leftAlone(file)
    case .heldElsewhere(let process):
      Failure(.locked(process: process)).message(in: vocabulary) + "; will try again after the other files"
    case .targetAppeared:
      Failure(.targetTaken(by: .newFile)).message(in: vocabulary) + "; will look at it after the other files"
    case .waitingForOtherRuns(let count, let time):
      "waiting up to \(Humanized.duration(time)) for \(Humanized.count(count, "file")) of other runs"
    case .targetIsWrong: "the existing file does not match; it is kept until the new one is verified"
    case .syncUnsupported: "this file system cannot sync: a power failure may lose files that are complete now"
    case .failed(let error): error.message(in: vocabulary)
    case .setAside(let name): "the downloaded data is kept as \(String(decoding: name, as: UTF8.self))"
    case .hostUnreachable(let origin, let fault): "\(origin.text): \(FaultMessages.message(fault)); trying again"
    case .hostRefuses(let origin, let fault, let pause):
      "\(origin.text): \(FaultMessages.message(fault)); "
        + (pause.map { "continuing after the pause that it asks for, \(Humanized.duration($0))" } ?? "slowing down")
    case .retrying(let fault): "\(FaultMessages.message(fault)); trying again"
    case .rangesUnsupported: "the server does not support ranges; continuing with one connection"
    case .foreignPage(let host):
      "an HTML page of \(host), to which a redirect led; it is stored, but may be a login page"
    case .requestingOverHTTP1:
      "over HTTP/2 the end of a file without a length cannot be verified; requesting it over HTTP/1.1"
    case .versionInDoubt(let change):
      "a range response shows that \(FaultMessages.change(change)); requesting the whole file"
    case .mirrorDisagrees(let mirror):
      "\(mirror.redacted) has another version, or one that cannot be compared; continuing without it"
    case .leavingMirror(let mirror, let fault): "dropping mirror \(mirror.redacted): \(FaultMessages.message(fault))"
    case .leavingSlowMirror(let mirror): "dropping mirror \(mirror.redacted): much slower than another mirror"
    case .mirrorsJoined(let count): "using \(Humanized.count(count, "mirror")) that the server names"
    case .mismatch(let mismatch):
      ErrorMessages.told(mismatch)
        + (mismatch.range == nil ? "; downloading the file again" : "; downloading these bytes again")
    case .unconfirmed: "two downloads of the content, whose length is unknown, differ; downloading it again"
    case .commandFailed(let option, let program, let end):
      ErrorMessages.command("the command of \(option.text(in: vocabulary))", program, end)
    case .notStarted: "not started"
    case .othersNotStarted(let count): "\(Humanized.count(count, "more file")) not started"
    case .status(let progress): status(progress)
    }
  }

  private static func startingOver(_ reason: StartOverReason) -> String {
    switch reason {
    case .asked: "starting over, as asked"
    case .exposedPart: "starting over: other users could write to the part file"
    case .digestUnavailable(let algorithm):
      "starting over: cannot compute the \(algorithm.rawValue) of the part file"
    case .nothingRecorded: "starting over: the sidecar has no usable data"
    case .coded(let coding):
      "starting over: the part file is encoded (\(coding)) and cannot be resumed"
    case .otherDigest: "starting over: the part file was started with another checksum"
    case .noSource: "starting over: the sidecar contains no URL"
    case .otherURL: "starting over: the part file was started from another URL"
    case .noVersion: "starting over: the server sent no ETag or Last-Modified to resume with"
    case .severalMirrors: "starting over: the part file has bytes of several mirrors and no checksum to verify them"
    case .changed(let change): "starting over: the file changed on the server: \(FaultMessages.change(change))"
    case .firstMirrorDiffers(let mirror): "starting over: the first mirror, \(mirror.redacted), has another version"
    }
  }

  private static func told(_ reason: SidecarReading.Unusable) -> String {
    switch reason {
    case .damaged: "it is damaged"
    case .foreign: "it is not a swiftget sidecar"
    case .exposed: "other users could write to it"
    case .future(let version): "its format version \(version) is newer than this program"
    }
  }

  private static func status(_ progress: RunProgress) -> String {
    let count = progress.itemCount.map { " of \($0)" } ?? ""
    var text = "\(progress.downloadedCount + progress.keptCount)\(count) files done"
    if progress.failedCount > 0 { text += ", \(progress.failedCount) failed" }
    text += ", \(Humanized.size(progress.doneByteCount)) done, \(progress.active.count) in progress"
    text += " over \(Humanized.count(progress.connectionCount, "connection")) at \(Humanized.rate(progress.rate))"
    return ([text] + progress.limitingHosts.prefix(3).map(Self.text)).joined(separator: "; ")
  }

  /// What a host that refuses requests asks for: `https://example.org asks for a pause: 0:42 left`.
  package static func text(_ limit: HostLimit) -> String {
    switch limit.request {
    case .pause(let left): "\(limit.origin.text) asks for a pause: \(Humanized.timeLeft(left)) left"
    case .rate(let rate) where rate < 1:
      "\(limit.origin.text) accepts a request every \(Humanized.duration(.seconds(1 / max(rate, 1e-6))))"
    case .rate(let rate): "\(limit.origin.text) accepts \(Humanized.count(Int(rate), "request")) per second"
    }
  }
}

import DownloadCore

/// What a person reads of a notice: one row for each remark.
enum NoticeMessages {
  /// Not redacted.
  static func text(_ remark: Remark) -> String {
    switch remark {
    case .startingOver(let reason): startingOver(reason)
    case .sidecarIgnored(let reason): "the sidecar is ignored: \(told(reason))"
    case .sidecarExceedsPart: "the sidecar is ignored: the part file is shorter than it says"
    case .goingOn(let byteCount): "going on after \(byteCount) bytes that are there already"
    case .foreignFileLeftAlone(let file): ErrorMessages.leftAlone(file)
    case .heldElsewhere(let process):
      ErrorMessages.message(.locked(process: process)) + "; looking at it again when everything else is done"
    case .targetIsWrong: "the file that is there is not the wanted one; it stays until the right one is verified"
    case .failed(let error): ErrorMessages.message(error.cause)
    case .setAside(let name): "what arrived is set aside as \(String(decoding: name, as: UTF8.self))"
    case .hostUnreachable(let origin, let fault): "\(origin.text): \(FaultMessages.message(fault)); trying again"
    case .retrying(let fault): "\(FaultMessages.message(fault)); trying again"
    case .rangesUnsupported: "the server does not serve ranges; going on as one stream"
    case .versionInDoubt(let change):
      "an answer to a range says that \(FaultMessages.change(change)); asking for the whole"
    case .mirrorDisagrees(let mirror):
      "\(mirror.redacted) has another version, or none that can be told to be the same; going on without it"
    case .leavingMirror(let mirror, let fault): "leaving \(mirror.redacted): \(FaultMessages.message(fault))"
    case .leavingSlowMirror(let mirror): "leaving \(mirror.redacted): far slower than another mirror"
    case .mismatch(let mismatch):
      ErrorMessages.told(mismatch) + (mismatch.range == nil ? "; fetching it again" : "; fetching them again")
    case .notStarted: "not started"
    case .othersNotStarted(let count): "\(count) more not started"
    case .status(let progress): status(progress)
    }
  }

  private static func startingOver(_ reason: StartOverReason) -> String {
    switch reason {
    case .asked: "starting over, as asked by --no-resume"
    case .exposedPart: "starting over: other users could write to the part file"
    case .digestUnavailable(let algorithm):
      "starting over: nobody here can compute the \(algorithm.rawValue) of what is there"
    case .nothingRecorded: "starting over: nothing usable was recorded"
    case .coded(let coding):
      "starting over: what is there is coded (\(coding)), and ranges of that are not to be had"
    case .otherDigest: "starting over: the part file belongs to another checksum"
    case .noSource: "starting over: the sidecar names no source"
    case .otherURL: "starting over: the part file belongs to another URL"
    case .noVersion: "starting over: the server named no version to go on with"
    case .changed(let change): "starting over, for on the server \(FaultMessages.change(change))"
    case .firstMirrorDiffers(let mirror): "starting over: \(mirror.redacted), named first, has another version"
    }
  }

  private static func told(_ reason: SidecarReading.Unusable) -> String {
    switch reason {
    case .damaged: "it is damaged"
    case .foreign: "it is not a sidecar of swiftget"
    case .exposed: "other users could write to it"
    case .future(let version): "its format version \(version) is newer than this program"
    }
  }

  private static func status(_ progress: RunProgress) -> String {
    let count = progress.itemCount.map { " of \($0)" } ?? ""
    var text = "\(progress.downloadedCount + progress.keptCount)\(count) files done"
    if progress.failedCount > 0 { text += ", \(progress.failedCount) failed" }
    text += ", \(Humanized.size(progress.doneByteCount)) in place, \(progress.active.count) at work"
    return text + " over \(progress.connectionCount) connections at \(Humanized.rate(progress.rate))"
  }
}

internal import DownloadCore
internal import DownloadEngine
internal import DownloadEvents
internal import DownloadWords

/// What a person, or a program, reads of `--dry-run`.
enum PlanMessages {
  /// `a.iso: resume: 63% of 1.9 GiB is there`, with a newline.
  static func line(_ request: FileRequest, _ start: PlannedStart) -> String {
    let place = request.source.map { " (\($0.text))" } ?? ""
    let reason = reason(start).map { ": \(Diagnostic.escaped(Redaction.words($0)))" } ?? ""
    let isRefused = PlannedAction(start) == .refuse
    return Diagnostic.escaped(request.target.name) + ": \(PlannedAction(start).rawValue)\(reason)"
      + (isRefused ? place : "") + "\n"
  }

  /// Nil where there is nothing to say.
  static func reason(_ start: PlannedStart) -> String? {
    switch start {
    case .keep(let digest?): "verified by its mark (\(digest.digest.algorithm.rawValue))"
    case .keep(nil): "there already"
    case .hash(let byteCount):
      "there; \(Humanized.size(byteCount)) are hashed, and it is replaced if that does not match"
    case .compareLength(let byteCount): "there; kept if the server has \(byteCount) bytes, too"
    case .update: "there; replaced if the server has a newer one"
    case .askName: "the server gives the name"
    case .resume(let done, let length?):
      "\(Humanized.percent(done, of: length) ?? "all") of \(Humanized.size(length)) is there"
    case .resume(let done, nil): "\(Humanized.size(done)) are there"
    case .download(_, let remark?): NoticeMessages.text(remark)
    case .download(let isReplacing, nil): isReplacing ? "the existing file is replaced" : nil
    case .stream: "to standard output, a pipe or a device"
    case .refuse(let error): error.message
    }
  }

  /// One line of `--progress json`.
  static func object(_ request: FileRequest, _ start: PlannedStart) -> JSONObject {
    var object = JSONObject(.plan)
    object.add(.item, request.task.position)
    object.add(.name, bytes: request.target.name)
    object.add(.url, request.mirrors[0].location.redacted)
    object.add(.action, PlannedAction(start).rawValue)
    var (done, size, error) = (Int64(0), request.expectedLength, JSONObject?.none)
    switch start {
    case .resume(let there, let length): (done, size) = (there, length ?? size)
    case .refuse(let failure): error = JSONObject(failure, in: .command)
    default: break
    }
    object.add(.reason, error == nil ? reason(start).map { Redaction.words($0) } : nil)
    object.add(.bytesDone, done)
    object.add(.size, size)
    object.add(.error, error)
    object.add(request.source)
    return object
  }

  /// The last object.
  static func end(_ counts: [PlannedAction: Int], _ status: ExitStatus) -> JSONObject {
    var actions = JSONObject()
    for action in PlannedAction.allCases { actions.add(action.rawValue, Int64(counts[action] ?? 0)) }
    var object = JSONObject(.end)
    object.add(.status, Int64(status.rawValue))
    object.add(.files, counts.values.reduce(0, +))
    object.add(.actions, actions)
    return object
  }

  /// `dry run, nothing is downloaded: 2 files to skip, 1 to fetch`
  static func summary(_ counts: [PlannedAction: Int]) -> Diagnostic {
    var parts: [String] = []
    for action in PlannedAction.allCases {
      guard let count = counts[action] else { continue }
      let files = parts.isEmpty ? Humanized.count(count, "file") : "\(count)"
      parts.append("\(files) to \(action.rawValue)")
    }
    let text = parts.isEmpty ? "no files" : parts.joined(separator: ", ")
    return Diagnostic(message: "dry run, nothing is downloaded: \(text)")
  }
}

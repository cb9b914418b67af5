internal import DownloadCore
internal import DownloadEngine
internal import DownloadWords

/// What an engine says of a task, as other processes hear it.
extension TaskDescription {
  /// Ranges of one answer. A file that arrives by 64 connections has fewer.
  private static let mostRanges = 1000

  var json: JSONObject {
    var object = JSONObject()
    object.add("id", DownloadTaskID(task).description)
    if case .active(let progress) = activity {
      object.add("phase", progress.phase.rawValue)
      object.add("connections", Int64(progress.connectionCount))
      object.add("size", progress.completeLength)
      if let fault = progress.fault { object.add("last_error", FaultMessages.message(fault)) }
    }
    if case .queued(let limit?) = activity { object.add("limit", limit.rawValue) }
    if let remaining { object.add("seconds", verbatim: Array(String(remaining.inSeconds).utf8)) }
    object.add(
      "ranges", verbatim: Array("[\(done.ranges.prefix(Self.mostRanges).map(Self.text).joined(separator: ","))]".utf8))
    object.add("hosts", hosts.map(\.json))
    return object
  }

  private var remaining: Duration? {
    switch activity {
    case .active(let progress): progress.remaining
    case .waiting(_, let remaining): remaining
    case .queued(.host): hosts.first?.remaining
    case .queued, .inspecting, .settled: nil
    }
  }

  /// First byte, and the one after the last.
  private static func text(_ range: Range<Int64>) -> String { "[\(range.lowerBound),\(range.upperBound)]" }
}

extension HostDescription {
  fileprivate var json: JSONObject {
    var object = JSONObject()
    object.add("host", origin.text)
    object.add("connections", Int64(activeCount))
    object.add("limit", Int64(limit))
    if let requestRate { object.add("requests_per_second", verbatim: Array(String(requestRate).utf8)) }
    if let remaining { object.add("seconds", verbatim: Array(String(remaining.inSeconds).utf8)) }
    object.add("unreachable", isUnreachable)
    return object
  }
}

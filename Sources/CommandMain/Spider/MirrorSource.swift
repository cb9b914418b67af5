internal import DownloadCore
internal import DownloadEngine
internal import DownloadLists

/// The URLs of requests, one at a time: each mirror becomes a request of its own.
final class MirrorSource: RequestSource {
  private let list: RequestList
  private var current: FileRequest?
  private var nextMirror = 0
  private var nextItem = 0

  init(_ list: RequestList) { self.list = list }

  /// Not known before the end, because files have several mirrors.
  var itemCount: Int? { nil }

  func next() throws(Failure) -> FileRequest? {
    while true {
      if var request = current, nextMirror < request.mirrors.count {
        request.mirrors = [request.mirrors[nextMirror]]
        request.task = TaskID(position: nextItem)
        request.isNamedByAnswer = false
        nextMirror += 1
        nextItem += 1
        return request
      }
      guard let request = try list.next() else { return nil }
      current = request
      nextMirror = 0
    }
  }
}

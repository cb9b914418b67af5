package import DownloadCore
internal import DownloadEngine
internal import DownloadWords

/// What is found when the lists of a run are read once more at its end.
package enum RevisitedEntry {
  /// An item, with all that its parts say about it.
  case item(ListedRequest)
  /// A part of an earlier item, whose target it has.
  case part(ListedRequest, of: Int)
  /// An entry that the run does without, and its list; nil for a URL of the command line, and for a bag.
  case refused(Failure, ListInput?)

  /// The item whose end decides whether this is wanted; nil for what is no item.
  package var item: Int? {
    switch self {
    case .item(let listed): listed.request.task.position
    case .part(_, let item): item
    case .refused: nil
    }
  }

  /// Why a valid request was refused, as far as it is still known.
  static func problem(ofRefused request: FileRequest) -> Failure {
    let algorithms = request.digests.map(\.algorithm) + (request.pieces.map { [$0.algorithm] } ?? [])
    let place = request.source.map { "\($0.text): " } ?? ""
    let name = Diagnostic.escaped(request.target.name)
    return Failure(
      .usage,
      algorithms.allSatisfy(Digests.isAvailable)
        ? "\(place)another entry for \(name) contradicts this one"
        : "\(place)OpenSSL has disabled the algorithm of the checksum of \(name)")
  }
}

package struct ListedRequest {
  package let request: FileRequest
  /// Nil for a URL of the command line.
  package let entry: ListEntry?
  /// Nil for a URL of the command line, and for a bag.
  package let list: ListInput?
}

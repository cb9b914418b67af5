@testable import DownloadCore
@testable import DownloadEngine
@testable import DownloadFiles
@testable import DownloadTransport

/// Records the events of its transfers.
final class NotingOwner: TransferOwner {
  var answer = BodyAnswer.taken
  var bodyByteCount = 0
  var endCount = 0

  func received(_ head: ResponseHead, of transfer: Transfer) -> Bool { true }
  func received(_ body: UnsafeRawBufferPointer, of transfer: Transfer) -> BodyAnswer {
    bodyByteCount += body.count
    return answer
  }
  func ended(_ transfer: Transfer, _ result: ExchangeResult) { endCount += 1 }
}

/// A transfer without a connection.
func idleTransfer(_ number: Int, of item: ActiveItem, owner: NotingOwner, startedAt: Instant = .zero) -> Transfer {
  let order = TransferOrder(
    id: TransferID(number: number), item: item.handle, mirror: 0, location: item.url, asked: .whole,
    purpose: .content, condition: nil, isSegment: false)
  return Transfer(item: item, exchange: Exchange(order: order, now: startedAt), owner: owner)
}

/// An item without transfers.
func idleItem(_ number: Int = 0) throws -> ActiveItem {
  let location = Location(scheme: .http, host: "h", port: 80, path: "/f", query: nil)
  let request = FileRequest(
    task: TaskID(position: number), mirrors: [MirrorURL(location: location)], target: .listed([[65]]))
  return ActiveItem(
    ItemHandle(number), request, destination: .stream(StreamOutput(try StreamTarget.inherited(1))), existing: .absent,
    now: .zero)
}

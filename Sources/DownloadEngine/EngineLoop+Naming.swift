internal import DownloadCore
internal import FileStore

/// Files that redirects or the server's answer name (`--name-from`).
///
/// The first answer with content gives the name, before a byte is stored. If the name is free, the transfer goes on. If a
/// file or the beginning of one has the name, the item starts over with that target, as if the request had named it.
extension EngineLoop {
  /// Names the item by its first answer with content.
  func name(_ item: ActiveItem, by head: ResponseHead, of transfer: Transfer) {
    guard item.request.isNamedByAnswer, head.status == 200 || head.status == 203 else { return }
    item.settleName(suggestion(head, for: transfer, of: item.request))
    do throws(DownloadError) {
      try place.reserve(item.name, for: item.task)
      guard case .listed(let components) = item.request.target else { return }
      let target = try place.target(of: components)
      guard try inspector.isFree(target, components: components, for: item, now: now) else {
        renamed.append(item)
        return drop(transfer)
      }
      item.move(to: target)
      item.hasRejected = place.holdRejected(of: target, now: now)
      tell(.started(item.task, name: item.name, location: item.url))
    } catch {
      storageFailed(item, error)
    }
  }

  /// The name that the network gives; nil if that of the request stays.
  private func suggestion(_ head: ResponseHead, for transfer: Transfer, of request: DownloadRequest) -> [UInt8]? {
    switch settings.target.nameSource {
    case .url: return nil
    case .answer: return head.contentDisposition.flatMap(ContentDisposition.fileName).flatMap(TargetName.fromServer)
    case .lastURL:
      let location = transfer.exchange.order.location
      if request.mirrors.contains(where: { $0.location == location }) { return nil }
      return TargetName.fromServer(TargetName.fromURLPath(location.path))
    }
  }

  /// Starts items over that have got a name which is not free.
  func beginRenamed() {
    let over = renamed
    renamed = []
    for item in over where items[item.handle] === item {
      forget(item)
      requests.takeBack(item.request)
      queue.returned(item.handle)
    }
  }
}

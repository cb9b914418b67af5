internal import DownloadCore
internal import FileStore

/// Files that redirects or the server's answer name (`--name-from`).
///
/// The first answer with content gives the name, before a byte is stored. If the name is free, the transfer goes on. If a
/// file or the beginning of one has the name, the item starts over with that target, as if the request had named it.
extension Engine {
  /// Begins a request whose target the answer names. What exists under the name of the URL does not matter.
  ///
  /// - Returns: false if the request names its target.
  func beginUnnamed(_ request: DownloadRequest, _ handle: ItemHandle) throws(DownloadError) -> Bool {
    guard request.isNamedByAnswer, case .listed(let components) = request.target else {
      if inspector.suggestedNames.take(request.target.name, by: request.task, in: inspector.base) { return false }
      throw DownloadError(.targetTaken(by: .otherRequest))
    }
    let place = try inspector.place(of: components)
    if inspector.fullFileSystems.contains(place) {
      leave(request, handle)
    } else {
      start(ActiveItem(handle, request, destination: .file(place), existing: .absent, now: now), .fresh)
    }
    return true
  }

  /// Names the item by its first answer with content.
  func name(_ item: ActiveItem, by head: ResponseHead, of transfer: Transfer) {
    guard item.request.isNamedByAnswer, head.status == 200 || head.status == 203 else { return }
    item.settleName(suggestion(head, for: transfer, of: item.request))
    guard inspector.suggestedNames.take(item.name, by: item.task, in: inspector.base) else {
      return storageFailed(item, DownloadError(.targetTaken(by: .otherRequest)))
    }
    guard case .listed(let components) = item.request.target else { return }
    do throws(DownloadError) {
      let place = try inspector.place(of: components)
      guard try inspector.isFree(place, components: components, for: item, now: now) else {
        inspector.suggestedNames.startOver(item)
        return drop(transfer)
      }
      item.move(to: place)
      item.hasRejected = inspector.holdRejected(of: place, now: now)
      observer?.itemStarted(item.task, name: item.name, location: item.url)
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
    for item in inspector.suggestedNames.takeRenamed() where items[item.handle] === item {
      forget(item)
      requests.takeBack(item.request)
      queue.returned(item.handle)
    }
  }
}

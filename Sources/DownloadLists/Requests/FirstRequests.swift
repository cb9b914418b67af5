internal import DownloadCore
internal import DownloadScratch

/// The first request of each target, for those that follow. Memory: about 10 bytes for each; the rest may wait in a file.
final class FirstRequests {
  /// What the others are compared with.
  struct Request: Equatable {
    let item: Int
    /// The hash of where it leads.
    let sources: Int
    let content: StatedContent
    /// Its line or URL, for messages.
    let place: String
    /// Where it is written to.
    let target: [UInt8]
    /// Whether `target` is a directory that has to be created for it.
    var isDirectory = false
  }

  private let stores: TemporaryStores
  private let targets: DistinctStrings

  init(_ stores: TemporaryStores = TemporaryStores()) {
    self.stores = stores
    targets = DistinctStrings(stores.make())
  }

  /// The first request of a target; nil if it is this one.
  ///
  /// - Throws: where requests cannot be stored or read.
  func earlier(than request: Request) throws(Failure) -> Request? {
    try earlier(than: request, under: [0] + request.target)
  }

  /// The first request of a target that may be the same for the file system; nil if it is this one.
  ///
  /// - Parameter key: equal for such targets.
  /// - Throws: as `earlier`.
  func earlier(than request: Request, alike key: UInt64) throws(Failure) -> Request? {
    var name: [UInt8] = [1]
    name.append(number: Int(bitPattern: UInt(key)))
    return try earlier(than: request, under: name)
  }

  private func earlier(than request: Request, under name: [UInt8]) throws(Failure) -> Request? {
    let (number, isNew) = targets.insert(name, value: request.storedText)
    let earlier = isNew ? nil : Request(storedText: targets.value(of: number))
    try stores.requireSound()
    return earlier
  }
}

extension FirstRequests.Request {
  /// Two numbers, the lengths of the content's text and of the target, whether that is a directory, both texts, and the
  /// place.
  fileprivate var storedText: [UInt8] {
    let content = content.storedText
    var bytes: [UInt8] = []
    bytes.append(number: item)
    bytes.append(number: sources)
    bytes.append(number: content.count)
    bytes.append(number: target.count)
    bytes.append(number: isDirectory ? 1 : 0)
    bytes += content
    bytes += target
    bytes += place.utf8
    return bytes
  }

  /// Reads `storedText`; nil for less, which a store gives that has failed.
  fileprivate init?(storedText text: ArraySlice<UInt8>) {
    guard text.count >= 5 * Int.byteCount else { return nil }
    func number(_ index: Int) -> Int { Int(in: text, at: text.startIndex + index * Int.byteCount) }
    let fields = text.dropFirst(5 * Int.byteCount)
    self.init(
      item: number(0), sources: number(1), content: StatedContent(storedText: fields.prefix(number(2))),
      place: String(decoding: fields.dropFirst(number(2) + number(3)), as: UTF8.self),
      target: Array(fields.dropFirst(number(2)).prefix(number(3))), isDirectory: number(4) != 0)
  }
}

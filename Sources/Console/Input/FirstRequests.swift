import DownloadCore
import LocalFiles

/// The first request of each target, for those that follow. Memory: about 10 bytes for each; the rest may wait in a file.
final class FirstRequests {
  /// What the others are compared with.
  struct Request: Equatable {
    let item: Int
    /// The hash of where it leads.
    let sources: Int
    let content: StatedContent
    /// Its line or URL, for messages. Without line breaks.
    let place: String
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
  func earlier(than request: Request, target: [UInt8]) throws(DownloadError) -> Request? {
    let (number, isNew) = targets.insert(target, value: request.storedText)
    let earlier = isNew ? nil : Request(storedText: targets.value(of: number))
    try stores.requireSound()
    return earlier
  }
}

extension FirstRequests.Request {
  private static let separator = UInt8(ascii: "\n")

  /// A line for each property.
  fileprivate var storedText: [UInt8] {
    Array("\(item)\n\(sources)\n".utf8) + content.storedText + [Self.separator] + Array(place.utf8)
  }

  /// Reads `storedText`; nil for anything else.
  fileprivate init?(storedText: ArraySlice<UInt8>) {
    let fields = storedText.split(separator: Self.separator, maxSplits: 3, omittingEmptySubsequences: false)
    guard fields.count == 4, let item = Int(String(decoding: fields[0], as: UTF8.self)),
      let sources = Int(String(decoding: fields[1], as: UTF8.self))
    else { return nil }
    self.init(
      item: item, sources: sources, content: StatedContent(storedText: fields[2]),
      place: String(decoding: fields[3], as: UTF8.self))
  }
}

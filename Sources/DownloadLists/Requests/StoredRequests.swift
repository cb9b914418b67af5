internal import DownloadCore
package import DownloadScratch
internal import DownloadWords
internal import Glibc

/// Requests that wait in a temporary file, or in memory while they are few.
package final class StoredRequests: RequestSpool {
  private let stores: TemporaryStores
  /// For each request a hash of its text, the length in bytes, and the text.
  private(set) var store: any ByteStore

  package init(_ stores: TemporaryStores = TemporaryStores()) {
    self.stores = stores
    store = stores.make()
  }

  func append(_ request: FileRequest) throws(Failure) -> Int64 {
    let (place, text) = (store.byteCount, request.storedText)
    store.append(Self.head(of: text) + text)
    try stores.requireSound()
    return Int64(place)
  }

  func read(at place: Int64) throws(Failure) -> FileRequest {
    let head = bytes(at: Int(place), count: 16)
    let text = head.flatMap { bytes(at: Int(place) + 16, count: Int(in: $0[...], at: 8)) } ?? []
    try stores.requireSound()
    if head == Self.head(of: text), let request = FileRequest(storedText: text) { return request }
    throw LocalFileMessages.error(ofTemporaryFile: FileFailure(stores.directory, .failed(.read, errno: EIO)))
  }

  /// The file goes with its store.
  func removeAll() { store = stores.make() }

  private static func head(of text: [UInt8]) -> [UInt8] { StableHash.fnv1a(text).bytes + text.count.bytes }

  /// Nil where the store has fewer.
  private func bytes(at offset: Int, count: Int) -> [UInt8]? {
    guard 0...store.byteCount ~= offset, 0...(store.byteCount - offset) ~= count else { return nil }
    return store.read(offset..<offset + count)
  }
}

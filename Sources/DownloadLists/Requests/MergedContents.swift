internal import DownloadCore
internal import DownloadScratch

/// What several lines together say about the content of items. Memory: 8 bytes for each; the rest may wait in a file.
final class MergedContents {
  private let stores: TemporaryStores
  private let texts: StoredStrings
  /// The newest text of each item.
  private var numbers = ItemNumbers()

  init(_ stores: TemporaryStores = TemporaryStores()) {
    self.stores = stores
    texts = StoredStrings(stores.make())
  }

  /// Replaces what was said about an item.
  ///
  /// - Throws: where it cannot be stored.
  func set(_ item: Int, _ content: StatedContent) throws(Failure) {
    numbers.set(item, texts.count)
    texts.append(content.storedText)
    try stores.requireSound()
  }

  /// Nil for an item that is not there.
  ///
  /// - Throws: where it cannot be read.
  func content(of item: Int) throws(Failure) -> StatedContent? {
    guard let number = numbers[item] else { return nil }
    let content = StatedContent(storedText: texts[number])
    try stores.requireSound()
    return content
  }
}

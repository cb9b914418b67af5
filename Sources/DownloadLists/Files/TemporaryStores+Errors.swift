internal import DownloadCore
internal import DownloadScratch
internal import DownloadWords

extension TemporaryStores {
  /// - Throws: why what is stored cannot be relied on.
  func requireSound() throws(Failure) {
    if let failure { throw LocalFileMessages.error(ofTemporaryFile: failure) }
  }
}

import Testing

@testable import DownloadFiles

@Suite struct `Free space` {
  @Test func `the free space of a directory is known`() throws {
    let scratch = try Scratch()
    let free = try #require(FreeSpace(in: scratch.directory.base))
    #expect(free.availableByteCount > free.usableByteCount && free.usableByteCount > 0)
  }

  @Test(arguments: [(1 << 20, 10485), (1 << 40, 8 << 20), (100, 1)])
  func `1 percent of the file system stays free, at most 8 MiB`(
    byteCount: Int, reserve: Int
  ) throws {
    func free(_ available: Int64, of byteCount: Int) -> FreeSpace? {
      FreeSpace(
        FileSystemStatus(
          availableByteCount: available, byteCount: Int64(byteCount), isInMemory: false, isOverlay: false,
          nameLimit: 255))
    }
    let found = try #require(free(910_485, of: byteCount))
    #expect(found.reserve == Int64(reserve))
    #expect(found.usableByteCount == max(0, 910_485 - Int64(reserve)))
    #expect(try #require(free(Int64(reserve), of: byteCount)).isExhausted)
    #expect(try #require(free(0, of: byteCount)).usableByteCount == 0)
    #expect(free(0, of: 0) == nil, "a share that counts nothing")
  }
}

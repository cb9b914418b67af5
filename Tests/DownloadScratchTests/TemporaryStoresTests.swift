import DownloadCore
import DownloadFiles
import Glibc
import TestSupport
import Testing

@testable import DownloadScratch

@Suite struct `Temporary stores` {
  private let directory: TemporaryDirectory
  private var path: [UInt8] { Array(directory.path.utf8) }

  init() throws { directory = try TemporaryDirectory() }

  @Test(arguments: [1, 1000, 200_000, 10_000_000]) func `return what was written`(memoryLimit: Int) {
    var random = SeededGenerator(seed: 5)
    let stores = TemporaryStores(directory: path, memoryLimit: memoryLimit)
    let store = stores.make()
    var expected: [UInt8] = []
    for step in 0..<4000 {
      let length = Int.random(in: 0...(step % 100 == 0 ? 20_000 : 300), using: &random)
      let bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: step), count: length)
      store.append(bytes)
      expected += bytes
      #expect(store.byteCount == expected.count)
      let start = Int.random(in: 0...expected.count, using: &random)
      let part = start..<min(expected.count, start + Int.random(in: 0...5000, using: &random))
      #expect(store.read(part) == Array(expected[part]), "step \(step)")
      guard step % 3 == 0 else { continue }
      let others = [UInt8](repeating: UInt8(truncatingIfNeeded: step + 1), count: part.count)
      store.replace(at: start, with: others)
      expected.replaceSubrange(part, with: others)
    }
    #expect(store.read(0..<expected.count) == expected && !store.hasFailed && stores.failure == nil)
    #expect(directory.names().isEmpty)
  }

  @Test func `make no files for few bytes, and say where they cannot make one`() {
    let missing = Array(directory.path("none").utf8)
    let stores = TemporaryStores(directory: missing, memoryLimit: 1000)
    let (store, other) = (stores.make(), stores.make())
    store.append([UInt8](repeating: 1, count: 999))
    #expect(stores.failure == nil && store.read(998..<999) == [1])
    store.append([2])
    #expect(stores.failure == FileFailure(missing, .failed(.create, errno: ENOENT)))
    #expect(store.hasFailed && other.hasFailed)
    store.append([3])
    #expect(store.byteCount == 1001 && store.read(0..<5) == [0, 0, 0, 0, 0])
    store.replace(at: 0, with: [4])
  }
}

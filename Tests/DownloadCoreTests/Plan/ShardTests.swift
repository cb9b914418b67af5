import DownloadCore
import TestSupport
import Testing

@Suite struct `Shards` {
  @Test func `are numbered from 1 to their count`() {
    #expect(Shard(number: 1, of: 1)?.text == "1/1" && Shard(number: 16, of: 16)?.text == "16/16")
    for (number, count) in [(0, 1), (2, 1), (1, 0), (-1, 4), (5, 4), (1, 1_000_001)] as [(Int64, Int64)] {
      #expect(Shard(number: number, of: count) == nil, "\(number)/\(count)")
    }
  }

  @Test func `hold the number that the first four bytes of the digest make, and no other`() throws {
    // printf %s a.iso | sha256sum
    let digest = try #require(
      ContentDigest(text: "sha256:33deaab63cb28c848102abaf768308212c3422c1e3dfbb487f3c35fb832cfd4e"))
    for count in [1, 2, 3, 7, 1000] as [Int64] {
      let numbers = (1...count).filter { Shard(number: $0, of: count)?.contains(digest: digest.bytes) == true }
      #expect(numbers == [0x33de_aab6 % count + 1])
    }
    #expect(Shard(number: 0xffff_ffff % 1000 + 1, of: 1000)?.contains(digest: [0xff, 0xff, 0xff, 0xff, 9]) == true)
  }
}

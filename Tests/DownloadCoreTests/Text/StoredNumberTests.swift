import DownloadCore
import Testing

@Suite struct `Stored numbers` {
  @Test func `have their lowest byte first`() {
    #expect(UInt32(0x0102_0304).bytes == [4, 3, 2, 1] && Int64(-2).bytes == [0xfe] + Array(repeating: 0xff, count: 7))
    var bytes: [UInt8] = [9]
    bytes.append(number: UInt16(0x0102))
    #expect(bytes == [9, 2, 1] && UInt16(in: bytes[1...], at: 1) == 0x0102)
  }

  @Test(arguments: [Int64.min, -1, 0, 1, 0x0123_4567_89ab_cdef, .max])
  func `are read again`(number: Int64) {
    #expect(Int64(in: number.bytes[...], at: 0) == number)
    let unsigned = UInt64(bitPattern: number)
    #expect(UInt64(in: ([1, 2] + unsigned.bytes)[...], at: 2) == unsigned)
    let half = Int32(truncatingIfNeeded: number)
    #expect(Int32(in: half.bytes[...], at: 0) == half)
  }
}

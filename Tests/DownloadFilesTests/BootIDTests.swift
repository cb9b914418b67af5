import Testing

@testable import DownloadFiles

@Suite struct `Boot ID` {
  @Test func `the boot ID has 36 bytes`() { #expect(BootID.current.utf8.count == 36) }
}

import Testing

@testable import FileStore

@Suite struct `Boot ID` {
  @Test func `the boot ID has 36 bytes`() { #expect(BootID.current.utf8.count == 36) }
}

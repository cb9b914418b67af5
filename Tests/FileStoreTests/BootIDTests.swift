import Testing

@testable import FileStore

@Suite struct `Boot ID` {
  @Test func `the boot id is told`() { #expect(BootID.current.utf8.count == 36) }
}

import Foundation
import Testing

@testable import DownloadFiles

@Suite struct `File creation mask` {
  @Test func `the umask is read without changing it`() async {
    await #expect(processExitsWith: .exitCode(7)) {
      umask(0o027)
      let found = FileCreationMask.current
      exit(found == 0o027 && umask(0) == 0o027 ? 7 : 1)
    }
  }
}

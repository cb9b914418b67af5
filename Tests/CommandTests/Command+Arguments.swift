import DownloadCore
import DownloadLists
import DownloadWords

@testable import CommandOptions

extension Command {
  /// - Parameter arguments: without the program's name.
  init(
    arguments: [[UInt8]], environment: Environment = Environment(), standing: StandingOptions = StandingOptions()
  ) throws(UsageErrors) {
    try self.init(CommandLineScanner(arguments), environment, standing)
  }
}

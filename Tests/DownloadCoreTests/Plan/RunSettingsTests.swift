import DownloadCore
import Testing

@Suite struct `Download settings` {
  @Test func `many descriptors change nothing`() {
    for limit in [4122, 8192, .max] {
      #expect(RunSettings().fitting(descriptorLimit: limit) == RunSettings())
    }
  }

  @Test(arguments: [0, 1, 20, 64, 256, 1024, 4096])
  func `few descriptors mean fewer files and connections`(limit: Int) throws {
    var wished = RunSettings()
    wished.limits.jobs = 5000
    wished.file.maxConnections = 64
    for settings in [RunSettings(), wished].map({ $0.fitting(descriptorLimit: limit) }) {
      let jobs = try #require(settings.limits.jobs)
      #expect(jobs >= 1 && settings.limits.maxConnectionsPerHost >= 1 && settings.transport.mostKeptConnections >= 1)
      // Two descriptors for each file of a host, and the host's connections.
      let files = max(jobs, RunSettings.mostFiles(descriptorLimit: limit))
      if limit >= 64 { #expect(26 + files * 2 + settings.limits.maxConnectionsPerHost <= limit) }
      #expect(settings.file.maxConnections <= max(1, limit / 32))
    }
  }

  @Test func `a smaller setting is kept`() {
    var wished = RunSettings()
    wished.limits.jobs = 2
    wished.limits.maxConnectionsPerHost = 3
    wished.file.maxConnections = 1
    let settings = wished.fitting(descriptorLimit: 256)
    #expect(
      settings.limits.jobs == 2 && settings.limits.maxConnectionsPerHost == 3 && settings.file.maxConnections == 1)
  }
}

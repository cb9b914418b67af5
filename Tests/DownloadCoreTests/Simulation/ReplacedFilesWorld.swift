import DownloadCore
import TestSupport

/// One host on which every file is replaced once by another of the same length and date, as reproducible builds are.
///
/// Only the entity tag tells the versions apart.
extension SimulatedWorld {
  static func replacingFiles(_ random: inout SeededGenerator) -> SimulatedWorld {
    var world: SimulatedWorld
    repeat { world = SimulatedWorld(&random) } while world.files.count < 2 || world.hosts.count > 2
    for item in world.files.indices {
      let file = world.files[item]
      file.keepsDateOnChange = true
      file.keepsLengthOnChange = true
      file.digestVersion = nil
      file.expectedLength = nil
      file.changes = [
        Bool.random(using: &random)
          ? .at(.zero + .milliseconds(Int64.random(in: 0...3000, using: &random)))
          : .afterRequests(Int.random(in: 1...4, using: &random))
      ]
      var source = world.sources[item][0]
      source.tags = .strong
      source.tellsDate = true
      source.lies = []
      source.isCoded = false
      world.sources[item][0] = source
    }
    return world
  }
}

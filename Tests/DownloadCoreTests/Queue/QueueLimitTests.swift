import Testing

@testable import DownloadCore

@Suite struct `The limit that keeps a task from beginning` {
  private static let (full, free) = (
    Origin(scheme: .https, host: "full", port: 443), Origin(scheme: .https, host: "free", port: 443)
  )

  @Test func `is its host's, its group's or that of the run`() throws {
    var queue = QueueMachine(jobs: 2)
    let group = GroupID(7)
    queue.limit(group, jobs: 1)
    for (id, host) in [(1, Self.free), (2, Self.free), (3, Self.full)] as [(TaskID, Origin)] {
      _ = queue.add(id, host: host, group: id == 3 ? .main : group)
    }
    var limits: [QueueLimit?] { queue.standings(of: .all).map(\.limit) }
    #expect(limits == [nil, nil, nil])
    func begin() -> ItemHandle? {
      let next = queue.next { host, _ in host == Self.free }
      return if case .begin(_, let handle)? = next { handle } else { nil }
    }
    queue.takePlace(try #require(begin()))
    #expect(begin() == nil && limits == [nil, .group, .host], "one that has begun lacks nothing")
    queue.roomChanged(at: Self.full)
    queue.limit(group, jobs: nil)
    #expect(limits == [nil, nil, nil])
    queue.takePlace(try #require(begin()))
    #expect(limits == [nil, nil, .jobs])
    _ = queue.apply(.pause, to: .task(3))
    #expect(limits[2] == nil, "pauses are told apart from limits")
  }
}

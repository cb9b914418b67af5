import Testing

@testable import DownloadCore

@Suite struct `Transfer table` {
  private func host(_ name: String) -> HostEntry {
    HostEntry(
      origin: Location(scheme: .http, host: name, port: 80, path: "/", query: nil).origin,
      governor: HostGovernor(maximum: 4, now: .zero))
  }

  private func insert(_ table: inout TransferTable, item: ItemHandle, _ host: HostEntry, isProbe: Bool = false)
    -> TransferID
  {
    let id = table.makeID()
    table.insert(TransferTable.Entry(item: item, mirror: 0, host: host, isWhole: true, isProbe: isProbe), as: id)
    return id
  }

  @Test func `every transfer gets a new ID`() {
    var table = TransferTable()
    let first = insert(&table, item: 0, host("a"))
    let removed = table.remove(first)
    let again = table.remove(first)
    #expect(removed?.item == 0 && again == nil && table.count == 0)
    #expect(table.makeID() != first)
  }

  @Test func `items are listed once each, in order`() {
    var table = TransferTable()
    let a = host("a")
    for item: ItemHandle in [3, 1, 3, 2] { _ = insert(&table, item: item, a) }
    #expect(table.items == [1, 2, 3] && table.count == 4)
  }

  @Test func `served transfers are counted by host`() {
    var table = TransferTable()
    let (a, b) = (host("a"), host("b"))
    let ids = [insert(&table, item: 0, a), insert(&table, item: 1, a), insert(&table, item: 2, b)]
    for id in ids.dropFirst() { table.served(id) }
    #expect(table.servedCount(at: a) == 1 && table.servedCount(at: b) == 1)
    #expect(table[ids[0]]?.isServed == false && table[ids[1]]?.isServed == true)
  }

  @Test func `connections of probes are awaited while their host is suspected`() {
    var table = TransferTable()
    let (a, b) = (host("a"), host("b"))
    a.governor.stalled(now: .zero)
    let probe = insert(&table, item: 0, a, isProbe: true)
    _ = insert(&table, item: 1, a)
    _ = insert(&table, item: 2, b, isProbe: true)
    #expect(table.probesOfSuspects == [probe])
    a.governor.connected()
    #expect(table.probesOfSuspects.isEmpty)
  }
}

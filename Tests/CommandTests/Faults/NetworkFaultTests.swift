import CSwiftGetCurl
import TestSupport
import Testing

@testable import DownloadCore
@testable import DownloadTransport
@testable import DownloadWords

@Suite struct `Every fault of the network` {
  @Test(arguments: NetworkFault.table.indices)
  func `has a decision, an exit status, a message and a hint`(row: Int) {
    let row = NetworkFault.table[row]
    let fault = FaultMapping.fault(for: row.code, row.circumstances)
    let decision: NetworkFault.Decision =
      switch fault.kind {
      case .unanswered: .atOnce
      case .unreachable: .host
      case .transient, .throttled: .again
      case .permanent: .never
      }
    #expect(decision == row.decision, "\(row)")
    #expect(ExitStatus(fault.code).rawValue == row.status, "\(row)")
    let hint = FaultMessages.hint(fault, at: Wording.location, isSaved: true)?.text(in: .command)
    #expect(FaultMessages.message(fault) == row.message && hint == row.hint, "\(row)")
  }

  @Test func `of libcurl has a row`() {
    let rows = Set(NetworkFault.table.map(\.code.rawValue))
    for number in 1..<max(CURL_LAST.rawValue, NetworkFault.tooLarge.rawValue + 1) {
      #expect(
        rows.contains(number), "no row for error \(number): \(String(cString: curl_easy_strerror(.init(number))))")
    }
  }

  @Test func `with a provoking run has a row for that run`() {
    let said = NetworkFault.table.map(\.provoked).filter { $0.hasPrefix("program: ") }
    let run = ProvokedFault.table.map { "program: " + $0.name }
    #expect(Set(said).isSubset(of: run), "\(Set(said).subtracting(run))")
  }

  /// Status, number of requests of three allowed, exit status, text of the hint.
  private static let statuses: [(status: Int, requests: Int, exit: Int32, hint: String?)] = [
    (305, 1, 8, nil), (400, 1, 8, nil), (401, 1, 6, "--user"),
    (402, 1, 8, nil), (403, 1, 8, "credentials"), (404, 1, 8, "check the URL"), (405, 1, 8, nil),
    (406, 1, 8, nil), (407, 1, 6, "--proxy"), (408, 3, 4, "later"), (410, 1, 8, "check the URL"), (416, 1, 8, nil),
    (425, 3, 4, "later"), (429, 3, 4, "later"), (451, 1, 8, nil), (499, 1, 8, nil), (500, 3, 4, "later"),
    (501, 1, 8, nil), (502, 3, 4, "later"), (503, 3, 4, "later"), (504, 3, 4, "later"), (505, 1, 8, nil),
    (520, 3, 4, "later"), (524, 3, 4, "later"), (599, 1, 8, nil), (600, 1, 8, nil), (999, 1, 8, nil),
  ]

  @Test(arguments: statuses.indices)
  func `from a status has them too`(row: Int) throws {
    let row = Self.statuses[row]
    let server = try ScriptedServer { _ in
      [.respond(row.status, body: Array("<html>".utf8))]
    }
    let place = try Workplace()
    let result = try place.run("-t", "3", server.url("/f"))
    #expect(result.status == row.exit, "\(row): \(result.told)")
    #expect(server.requests.count == row.requests && place.names.isEmpty, "\(row): \(server.requests.count) requests")
    #expect(result.errorText.contains("swiftget: f: \(server.url("/f")): the server returned \(row.status)"), "\(row)")
    let hint = result.errorText.split(separator: "\n").first { $0.hasPrefix("hint: ") }
    if let wanted = row.hint {
      #expect(hint?.contains(wanted) == true, "\(row): \(result.told)")
    } else {
      #expect(hint == nil, "\(row): \(result.told)")
    }
  }

  /// An answer that does not match the request. The next one may.
  @Test(arguments: [
    (204, "unexpected status 204"), (304, "304 Not Modified for an unconditional request"),
  ])
  func `from a status without a body has them`(status: Int, message: String) throws {
    let server = try ScriptedServer { _ in [.send(responseHead(status, []))] }
    let place = try Workplace()
    let result = try place.run("-t", "3", server.url("/f"))
    #expect(result.status == 7 && server.requests.count == 3 && place.names.isEmpty, "\(result.told)")
    #expect(result.errorText.contains("invalid response from the server: \(message)"), "\(result.told)")
  }

  @Test(arguments: ProvokedFault.table.indices)
  func `that a server can cause makes the program act as in the table`(row: Int) throws {
    let provoked = ProvokedFault.table[row]
    let place = try Workplace()
    let rows = NetworkFault.table.filter { $0.provoked == "program: " + provoked.name }
    try #require(!rows.isEmpty, "\(provoked.name) stands in no row")
    let (result, requests) = try provoked.run(place)
    let told = "\(provoked.name): \(result.told)"
    let text = result.errorText
    #expect(rows.contains { $0.status == result.status && says(text, $0) }, "\(told)")
    #expect(place.names.allSatisfy { $0 != "f" }, "\(told)")
    guard let requests else { return }
    for row in rows where says(text, row) { #expect((requests == 1) == (row.decision == .never), "\(told)") }
  }

  private func says(_ text: String, _ row: NetworkFault) -> Bool {
    let message = row.message.replacing("detail", with: "")
    let fault = FaultMapping.fault(for: row.code, row.circumstances)
    var faults = [fault]
    // The hint depends on the detail, or on what the resolver says when it is asked once more.
    if case .tlsHandshake = fault { faults.append(.tlsHandshake("wrong version number")) }
    if case .nameLookup = fault { faults.append(.unknownHost("")) }
    let hints = faults.flatMap { fault in
      [true, false].compactMap { FaultMessages.hint(fault, at: Wording.location, isSaved: $0)?.text(in: .command) }
    }
    return text.contains(message) && (hints.isEmpty || hints.contains { text.contains("hint: \($0)\n") })
  }
}

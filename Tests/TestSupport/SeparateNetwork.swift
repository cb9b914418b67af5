import Glibc

/// A network namespace that is connected to this machine by a veth pair, which a test can cut.
///
/// Needs root and iproute2. Removed with the last reference.
package final class SeparateNetwork: Sendable {
  /// The address of this machine's end, for servers.
  package let host: String
  private let name: String
  private let ip = "/usr/sbin/ip"

  /// Whether the system allows a namespace, determined by creating one.
  package static let isPermitted = (try? SeparateNetwork()) != nil

  /// Addresses are from 198.18.0.0/15, which RFC 2544 reserves for tests.
  package init() throws {
    let number = Self.next.withLock { next in
      next += 1
      return (Int(getpid()) * 8 + next) % 16_000
    }
    name = "swget\(number)"
    let prefix = "198.18.\(number / 64).\(number % 64 * 4 + 1)"
    let peer = "198.18.\(number / 64).\(number % 64 * 4 + 2)"
    host = prefix
    try run("netns", "add", name)
    do {
      try run("link", "add", name, "type", "veth", "peer", "name", "far", "netns", name)
      try run("address", "add", "\(host)/30", "dev", name)
      try run("-n", name, "address", "add", "\(peer)/30", "dev", "far")
      try run("-n", name, "link", "set", "far", "up")
      try connect()
    } catch {
      remove()
      throw error
    }
  }

  deinit { remove() }

  private static let next = Locked(0)

  /// Delivers packets again.
  package func connect() throws { try run("link", "set", name, "up") }

  /// Drops all packets in both directions without a message.
  package func disconnect() throws { try run("link", "set", name, "down") }

  /// The same program at the other end.
  package func inside(_ invocation: ProgramInvocation) -> ProgramInvocation {
    var moved = invocation
    moved.path = ip
    moved.arguments = ["netns", "exec", name, invocation.path] + invocation.arguments
    return moved
  }

  /// The number of connections that the other end has tried to open (`ActiveOpens` of snmp(5)).
  package func attemptedConnections() throws -> Int {
    let text = try run("netns", "exec", name, "/usr/bin/cat", "/proc/net/snmp")
    let lines = text.split(separator: "\n").filter { $0.hasPrefix("Tcp:") }.map { $0.split(separator: " ") }
    guard lines.count == 2, let column = lines[0].firstIndex(of: "ActiveOpens"), let count = Int(lines[1][column])
    else { throw TestSupportError("no ActiveOpens in /proc/net/snmp") }
    return count
  }

  /// The number of connections that the other end is opening now (proc_pid_net(5): state 02 is SYN_SENT).
  package func connectionsBeingTried() throws -> Int {
    let text = try run("netns", "exec", name, "/usr/bin/cat", "/proc/net/tcp")
    return text.split(separator: "\n").dropFirst().count { $0.split(separator: " ")[3] == "02" }
  }

  private func remove() {
    _ = try? run("link", "delete", name)
    _ = try? run("netns", "delete", name)
  }

  @discardableResult
  private func run(_ arguments: String...) throws -> String {
    let result = try runProgram(ip, arguments)
    guard result.status == 0 else {
      throw TestSupportError("ip \(arguments.joined(separator: " ")): \(result.errorText)")
    }
    return result.outputText
  }
}

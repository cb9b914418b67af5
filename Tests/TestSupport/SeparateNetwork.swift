import Glibc

/// A network of its own, joined with this machine's by a cable that a test can pull: a namespace and a veth pair.
///
/// Needs root and iproute2. It is gone with the last reference.
package final class SeparateNetwork: Sendable {
  /// This machine's end of the cable, for servers to listen on.
  package let host: String
  private let name: String
  private let ip = "/usr/sbin/ip"

  /// Whether the system allows one; found out by making one.
  package static let isPermitted = (try? SeparateNetwork()) != nil

  /// Addresses are of 198.18.0.0/15, which RFC 2544 keeps for tests.
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

  /// Packets pass again.
  package func connect() throws { try run("link", "set", name, "up") }

  /// Packets are dropped silently from now on, in both directions.
  package func disconnect() throws { try run("link", "set", name, "down") }

  /// The same program, at the other end of the cable.
  package func inside(_ invocation: ProgramInvocation) -> ProgramInvocation {
    var moved = invocation
    moved.path = ip
    moved.arguments = ["netns", "exec", name, invocation.path] + invocation.arguments
    return moved
  }

  /// How many connections the other end has tried to open so far (`ActiveOpens` of snmp(5)).
  package func attemptedConnections() throws -> Int {
    let text = try run("netns", "exec", name, "/usr/bin/cat", "/proc/net/snmp")
    let lines = text.split(separator: "\n").filter { $0.hasPrefix("Tcp:") }.map { $0.split(separator: " ") }
    guard lines.count == 2, let column = lines[0].firstIndex(of: "ActiveOpens"), let count = Int(lines[1][column])
    else { throw TestSupportError("no ActiveOpens in /proc/net/snmp") }
    return count
  }

  /// How many connections the other end is trying to open at this moment (proc_pid_net(5): state 02 is SYN_SENT).
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

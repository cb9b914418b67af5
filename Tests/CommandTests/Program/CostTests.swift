import Glibc
import TestSupport
import Testing

/// System calls and allocations for a small file and for a MiB, which reveal a regression without timing. The limits
/// are 1.5 times the counts at the time they were set.
///
/// The difference of two runs of different size excludes the start of the program. Only the release build is counted,
/// because a debug build allocates more. Calls that wait for data or for another thread are not counted: how many there
/// are depends on how busy the machine is.
@Suite(.serialized, .enabled(if: getenv("SWIFTGET_BINARY") != nil, "counts the release build only"))
struct `What it costs` {
  private let place: Workplace

  init() throws { place = try Workplace() }

  private enum Counter: CaseIterable { case systemCalls, allocations }

  /// The counts of a run.
  private func count(_ counter: Counter, _ arguments: [String], status: Int32 = 0) throws -> Double {
    let counts = place.directory.path("counts")
    var invocation = try place.invocation(arguments)
    switch counter {
    case .systemCalls:
      let counted = "trace=!poll,epoll_wait,recvfrom,futex"
      invocation.arguments = ["-f", "-qq", "-c", "-e", counted, "-o", counts, invocation.path] + invocation.arguments
      invocation.path = "/usr/bin/strace"
    case .allocations:
      try Content.bytes([UInt8](repeating: 0, count: 8)).write(to: counts)
      invocation.environment["ALLOCATION_COUNT"] = counts
      invocation.environment["LD_PRELOAD"] = try productPath("libAllocationCounter.so")
    }
    let result = try place.run(invocation)
    #expect(result.status == status, "\(result.told)")
    let told = try readFile(counts)
    if counter == .allocations { return Double(told.reversed().reduce(0) { $0 << 8 | UInt64($1) }) }
    // `100.00    0.440407          17     25840       256 total`
    let total = String(decoding: told, as: UTF8.self).split(separator: "\n").last { $0.hasSuffix(" total") }
    let columns = try #require(total).split(separator: " ")
    return try #require(Double(columns[3]))
  }

  /// The counts for each additional unit between two runs.
  private func cost(
    _ counter: Counter, from smaller: Int, to larger: Int, status: Int32 = 0, _ arguments: (Int) throws -> [String]
  ) throws -> Double {
    let less = try count(counter, arguments(smaller), status: status)
    return (try count(counter, arguments(larger), status: status) - less) / Double(larger - smaller)
  }

  /// Whether tracing is allowed; some sandboxes forbid it.
  private var mayTrace: Bool {
    get throws { try runProgram("/usr/bin/strace", ["-qq", "-o", "/dev/null", "/bin/true"]).status == 0 }
  }

  private func expect(
    systemCalls: Double, allocations: Double, of thing: String, from smaller: Int, to larger: Int,
    _ arguments: (Int) throws -> [String]
  ) throws {
    var allocated = try cost(.allocations, from: smaller, to: larger, arguments)
    // Slow writes cost more: the device's writer takes over for a while. A regression costs more each time.
    for _ in 0..<2 where allocated >= allocations {
      allocated = min(allocated, try cost(.allocations, from: smaller, to: larger, arguments))
    }
    print("\(allocated) allocations \(thing)")
    #expect(allocated > 0 && allocated < allocations, "allocations \(thing)")
    guard try mayTrace else {
      print("system calls not counted, for nothing may be traced here")
      return
    }
    let called = try cost(.systemCalls, from: smaller, to: larger, arguments)
    print("\(called) system calls \(thing)")
    #expect(called > 0 && called < systemCalls, "system calls \(thing)")
  }

  @Test(arguments: [(false, 12.0), (true, 15.0)]) func `a small file`(isSynced: Bool, systemCalls: Double) throws {
    let server = try RealServer.nginx { $0.directives = "location /tiny/ { rewrite ^ /tiny.bin break; }" }
    try server.serve("tiny.bin", .generated(seed: 1, byteCount: 4096))
    try expect(systemCalls: systemCalls, allocations: 155, of: "a small file", from: 200, to: 1200) { count in
      let lines = (0..<count).map { server.url("/tiny/\($0)") + "\n" }.joined()
      try place.directory.write("list", lines)
      return ["-q", "-d", "\(isSynced)\(count)-\(monotonicSeconds())", "-i", "list"] + (isSynced ? [] : ["--no-sync"])
    }
  }

  /// The last entry is invalid, so that only the check before the start is counted.
  @Test(arguments: ["urls", "checksums", "csv"]) func `an entry of a list that is checked`(format: String) throws {
    let digest = String(repeating: "0123456789abcdef", count: 4)
    let allocated = try cost(.allocations, from: 1000, to: 21_000, status: 2) { count in
      let lines = (0..<count).map { number in
        switch format {
        case "urls": "http://127.0.0.1/d\(number % 10)/\(number).bin\n"
        case "checksums": "\(digest)  d\(number % 10)/\(number).bin\n"
        default: "http://127.0.0.1/\(number).bin,\(digest),\(number)\n"
        }
      }
      let isTable = format == "csv"
      let invalid = isTable ? "http://127.0.0.1/x,\(digest.dropLast()),1\n" : "\(digest)  ../x\n"
      try place.directory.write("list", (isTable ? "url,sha256,size\n" : "") + lines.joined() + invalid)
      return ["--input-format", format, "--base-url", "http://127.0.0.1/", "-i", "list"]
    }
    print("\(allocated) allocations an entry of a list (\(format))")
    #expect(allocated < 0.5)
  }

  @Test func `a mebibyte`() throws {
    let server = try RealServer.nginx()
    let content = Content.generated(seed: 2, byteCount: 256 << 20)
    for size in [64, 256] {
      try Content.bytes(content.bytes(in: 0..<Int64(size << 20))).write(to: "\(server.documents)/\(size)")
    }
    try expect(systemCalls: 90, allocations: 80, of: "a mebibyte", from: 64, to: 256) { size in
      ["-q", "--no-sync", "-o", "\(size)-\(monotonicSeconds())", server.url("/\(size)")]
    }
  }
}

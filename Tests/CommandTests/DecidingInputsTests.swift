import DownloadCore
import Glibc
import TestSupport
import Testing

@testable import CommandMain
@testable import CommandOptions
@testable import DownloadLists
@testable import DownloadWords

/// Files and variables of a run, which are changed one at a time.
@Suite struct `Inputs that decide about a run` {
  /// A command with what it reads.
  struct Scenario: CustomTestStringConvertible, Sendable {
    let name: String
    let files: [String: String]
    let arguments: [String]
    /// Files that are not there and would decide if they were.
    let absent: [String]
    /// Files that decide nothing about what is wanted.
    let others: [String]

    var testDescription: String { name }

    static let all =
      [
        Scenario(
          name: "a signed list",
          files: [
            "SHA256SUMS": SignatureSamples.list, "SHA256SUMS.minisig": SignatureSamples.Minisign.signature,
            "minisign.pub": SignatureSamples.Minisign.key, "config": "connections = 2\n",
            "netrc": "machine h login u\n",
            "jar": "",
          ],
          arguments: [
            "-i", "SHA256SUMS", "--base-url", "http://127.0.0.1:1/", "--verify-signature", "minisign.pub", "--config",
            "config", "--netrc-file", "netrc", "--load-cookies", "jar",
          ], absent: [], others: ["netrc", "jar"]),
        Scenario(
          name: "a signed list and the place of its signature",
          files: [
            "SHA256SUMS": SignatureSamples.list, "there": SignatureSamples.Minisign.signature,
            "minisign.pub": SignatureSamples.Minisign.key,
          ],
          arguments: [
            "-i", "SHA256SUMS", "--base-url", "http://127.0.0.1:1/", "--verify-signature", "minisign.pub",
            "--signature",
            "there",
          ], absent: ["home/swiftget/config"], others: []),
        Scenario(
          name: "a list and a lock file",
          files: [
            "list": "http://127.0.0.1:1/a\n",
            "lock":
              #"{"url":"http://127.0.0.1:1/a","out":"a","checksum":{"sha256":"\#(String(repeating: "0", count: 64))"}}"#
              + "\n",
          ], arguments: ["-i", "list", "--frozen", "lock"], absent: ["home/swiftget/config"], others: ["a"]),
        Scenario(
          name: "fetch.txt that is the list",
          files: ["bag/fetch.txt": "http://127.0.0.1:1/a - data/a\n"], arguments: ["-i", "bag/fetch.txt"],
          absent: ["bag/bagit.txt"], others: []),
      ]
      + [["-i", "bag"], ["-i", "bag/fetch.txt"]].map { arguments in
        Scenario(
          name: arguments.joined(separator: " "),
          files: [
            "bag/bagit.txt": "BagIt-Version: 0.97\nTag-File-Character-Encoding: UTF-8\n",
            "bag/fetch.txt": "http://127.0.0.1:1/a 5 data/a\n", "bag/bag-info.txt": "Payload-Oxum: 10.2\n",
            "bag/manifest-md5.txt": String(repeating: "0", count: 32) + "  data/a\n",
            "bag/manifest-sha1.txt": String(repeating: "0", count: 40) + "  data/b\n", "bag/data/b": "12345",
            "bag/tagmanifest-md5.txt": "\(infoDigest)  bag-info.txt\n",
          ], arguments: arguments,
          absent: ["bag/manifest-sha256.txt", "bag/tagmanifest-sha1.txt", "home/swiftget/config"],
          others: ["bag/data/a"])
      }

    /// MD5 of the `bag-info.txt` above.
    private static let infoDigest = "050681d85bb87687d351f5152ab0bf03"
  }

  private static let changes = [
    "printf x >> F", "cp -p F t && printf '#' | dd of=F conv=notrunc status=none && touch -r t F",
    "cp -p F t && mv t F", "rm F", "mv F t && ln -s t F", "chmod 600 F && sleep 0.01 && chmod 644 F",
  ]

  private func shell(_ command: String, in directory: TemporaryDirectory) throws {
    let result = try ProgramInvocation.shell("cd '\(directory.path)' && \(command)")
    #expect(result.status == 0, "\(command): \(result.errorText)")
  }

  private func write(_ scenario: Scenario, in directory: TemporaryDirectory) throws {
    try shell("mkdir -p bag/data home/swiftget", in: directory)
    for (name, text) in scenario.files { try directory.write(name, text) }
  }

  private func environment(_ directory: TemporaryDirectory, _ more: [String: String] = [:]) -> Environment {
    Environment(["XDG_CONFIG_HOME": directory.path("home")].merging(more) { $1 })
  }

  /// What a run notes until it begins to download.
  private func noted(
    _ scenario: Scenario, in directory: TemporaryDirectory, _ environment: Environment
  ) throws -> DecidingInputs {
    let inputs = DecidingInputs(environment)
    let known = Set(scenario.files.keys).union(["bag"])
    let arguments = scenario.arguments.map { Array((known.contains($0) ? directory.path($0) : $0).utf8) }
    let environment = inputs.noting
    let standing = try StandingOptions.read(CommandLineScanner(arguments), environment, notedIn: inputs)
    guard case .run(var invocation) = try Command(arguments: arguments, environment: environment, standing: standing)
    else { throw Failure(.other, "no run") }
    invocation.naming.directory = try BagChoice.directory(
      of: invocation.lists, invocation.naming, notedIn: inputs)
    _ = try NetrcFiles.read(for: invocation.settings)
    _ = try CookieFiles.settings(loading: invocation.loadedCookies, saving: invocation.records.savedCookies)
    let verifier = try ListVerifier(invocation.lists.signatures, notedIn: inputs)
    let findings = try RequestList(
      invocation.lists, invocation.naming, for: .download, notedIn: inputs, verifier
    ).check()
    #expect(findings.problems.isEmpty, "\(findings.problems)")
    return inputs
  }

  @Test(arguments: Scenario.all)
  func `are compared by a later run, each of them`(scenario: Scenario) throws {
    for name in scenario.files.keys.sorted() + scenario.absent + scenario.others {
      for change in scenario.absent.contains(name) ? ["echo x > F"] : Self.changes {
        let directory = try TemporaryDirectory()
        try write(scenario, in: directory)
        if scenario.others.contains(name), scenario.files[name] == nil { try directory.write(name, "downloaded") }
        let environment = environment(directory)
        let (names, hash) = try #require(try noted(scenario, in: directory, environment).all)
        let later = DecidingInputs(environment)
        #expect(later.hash(of: names) == hash)
        try shell(change.replacing("F", with: name), in: directory)
        #expect((later.hash(of: names) == hash) == scenario.others.contains(name), "\(name): \(change)")
      }
    }
  }

  @Test func `are variables, too`() throws {
    let directory = try TemporaryDirectory()
    let scenario = Scenario.all[0]
    try write(scenario, in: directory)
    let shards = Scenario(
      name: "", files: scenario.files, arguments: scenario.arguments + ["--shard", "auto"], absent: [], others: [])
    let array = [
      "SLURM_ARRAY_TASK_ID": "1", "SLURM_ARRAY_TASK_MIN": "1", "SLURM_ARRAY_TASK_MAX": "2",
      "SLURM_ARRAY_TASK_COUNT": "2",
    ]
    let (names, hash) = try #require(try noted(shards, in: directory, environment(directory, array)).all)
    #expect(DecidingInputs(environment(directory, array)).hash(of: names) == hash)
    for name in ["SWIFTGET_OPTIONS", "POSIXLY_CORRECT", "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MAX"] {
      let changed = environment(directory, array.merging([name: ""]) { $1 })
      #expect(DecidingInputs(changed).hash(of: names) != hash, "\(name)")
    }
    #expect(DecidingInputs(environment(directory, array.merging(["LANG": "C"]) { $1 })).hash(of: names) == hash)
  }

  @Test func `cannot be compared where one of them is a pipe or a device`() throws {
    let directory = try TemporaryDirectory()
    let pipe = directory.path("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    for path in ["/dev/null", pipe] {
      let inputs = DecidingInputs()
      inputs.note(file: Array(path.utf8))
      #expect(inputs.all == nil)
    }
  }

  @Test func `are too many to be compared at some time`() {
    let inputs = DecidingInputs()
    for number in 0..<900 { inputs.note(file: Array("/nowhere/\(number)".utf8)) }
    #expect(inputs.all != nil)
    for number in 0..<5000 { inputs.note(file: Array("/nowhere/\(number)".utf8)) }
    #expect(inputs.all == nil)
  }
}

import DownloadCore
import DownloadTransport

@testable import CommandOptions
@testable import DownloadLists

extension FuzzTarget {
  private static func words(_ name: String, _ samples: [String], _ run: @escaping ([UInt8]) -> Void) -> FuzzTarget {
    FuzzTarget(name: name, samples: samples.map { Array($0.utf8) }) { run($0.text) }
  }

  static var words: [FuzzTarget] {
    let location = try! URLParser.parse(Array("https://h.example:8443/a/%2e%2e/..%2fb/c.tar.gz?q".utf8)).location
    return [
      words("globs", ["https://h/{a,b\\,c}[01-10:3]/[a-z:2]", "http://[::1]/[1-3]"]) { pattern in
        guard let glob = try? URLGlob(pattern) else { return }
        require((1...URLGlob.mostURLs).contains(glob.count), "\(glob.count) URLs")
        for index in [0, glob.count / 2, glob.count - 1] { _ = glob[index] }
      },
      words("templates", ["{host}/{path}/{name}", "d/{stem}.{ext}", "{n}-{url-md5}{{x}}", "{id}/{2}.{name}"]) { text in
        guard let template = try? OutputTemplate(text: text) else { return }
        require(!template.placeholders.isEmpty || !template.columns.isEmpty, "a template without field")
        let values = template.columns.map { _ in Array("..".utf8) }
        for name in [nil, Array("x".utf8), Array("..".utf8), Array(".x.".utf8), []] as [[UInt8]?] {
          requireInside(template.path(name: name, location: location, number: 1, values: values))
        }
      },
      words("columns", ["url=1,md5=3,out=2", "url=url,out=n.o,size=n.s,mirror=4,sha-256=\"x\""]) { text in
        guard let choice = try? ColumnChoice(text: text) else { return }
        let columns: [ColumnChoice.Column?] = [choice.url, choice.out, choice.size] + choice.mirrors
        for column in columns {
          if case .number(let number)? = column { require(number >= 1, "column \(number)") }
        }
      },
      words(
        "digests",
        [
          "md5:\(String(repeating: "0a", count: 16)) sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA=?x;crc:0a",
          "1114\(String(repeating: "0a", count: 20))",
        ]
      ) { text in
        guard let stated = try? StatedDigests(text[...]) else { return }
        require(Set(stated.digests.map(\.algorithm)).count == stated.digests.count, "two digests of one algorithm")
        let written = stated.digests.map(\.text).joined(separator: ", ")
        require((try? StatedDigests(Array(written.utf8)[...]))?.digests == stated.digests, written)
      },
      words("url-templates", ["https://a/{1}/{2}", "https://a/{n.o}?{{x}}", "https://a/{+b}"]) { text in
        guard let template = try? URLTemplate(text: text) else { return }
        require(!template.parts.isEmpty, "a template of nothing")
      },
      words("commands", ["clamscan --no-summary {}", "sh -c 'a \"b\"' \"$x \\\" y\"", "'' a\\ b\\\n\tc"]) { text in
        guard !text.contains(0), let command = try? CommandWords(text: text) else { return }
        require(command.words.first?.isEmpty == false, "a command without a program")
        require(command.words.reduce(0) { $0 + $1.count } <= text.count, "words that are longer than their text")
        // A quotation mark ends the quotation, stands behind a backslash, and begins the next one.
        let quoted: [[UInt8]] = command.words.map { word in
          [0x27] + word.flatMap { $0 == 0x27 ? Array("'\\''".utf8) : [$0] } + [0x27]
        }
        require((try? CommandWords(text: Array(quoted.joined(separator: [0x20])))) == command, "\(command.words)")
      },
      words(
        "configurations",
        [
          "# defaults\njobs = 4\nquiet\nheader = X-A: 1\n[host *.example.org h]\nlimit-rate = 2M\r\nuser=a:b\n",
          "\u{feff}no-proxy\nno-sync = false\nnetrc = true\n[host x/y]\n[section]\nsave-cookies =\n",
        ]
      ) { text in
        let findings = ConfigurationParser.findings(
          ConfigurationFile(place: ConfigurationPlace(path: [0x63], isNamed: true), text: text, isExposed: false))
        require(findings.count <= text.count { $0 == 0x0a } + 1, "\(findings.count) findings")
        var isOfHost = false
        for finding in findings {
          switch finding {
          case .option(let spec, _, let argument): requireMayStand(spec, argument, isOfHost: isOfHost)
          case .takenBack(let spec, _): requireMayStand(spec, nil, isOfHost: isOfHost)
          case .hosts(let names):
            isOfHost = true
            let isName = names.map { name in !name.isEmpty && !name.contains { "/@ \t".contains($0) } }
            require(!names.isEmpty && isName.allSatisfy(\.self), "\(names)")
          case .refused(let error): require(error.code == .usage, "\(error)")
          }
        }
      },
    ]
  }

  /// What a configuration file sets may stand there, and is one line.
  private static func requireMayStand(_ spec: OptionSpec, _ argument: [UInt8]?, isOfHost: Bool) {
    require(!spec.isOfOneRun, "\(spec.long) in a configuration file")
    require(!isOfHost || spec.isForHosts, "\(spec.long) of a host")
    if spec.argument == .nothing { require(argument == nil, "an argument of \(spec.long)") }
    if case .required = spec.argument { require(argument != nil, "\(spec.long) without an argument") }
    guard let argument else { return }
    require(!argument.contains { $0 < 0x20 && $0 != 0x09 || $0 == 0x7f }, "a control character for \(spec.long)")
    require(argument.first != 0x20 && argument.last != 0x20, "blanks around an argument of \(spec.long)")
  }
}

import Console
import DownloadCore
import Transport

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
      words("templates", ["{host}/{path}/{name}", "d/{stem}.{ext}", "{n}-{url-md5}{{x}}"]) { text in
        guard let template = try? OutputTemplate(text: text) else { return }
        require(!template.fields.isEmpty, "a template without field")
        for name in [nil, Array("x".utf8), Array("..".utf8), Array(".x.".utf8), []] as [[UInt8]?] {
          requireInside(template.path(name: name, location: location, number: 1))
        }
      },
      words("columns", ["url=1,md5=3,out=2", "url=url,out=n.o,size=n.s,mirror=4,sha-256=\"x\""]) { text in
        guard let choice = try? ColumnChoice(text: text) else { return }
        let columns: [ColumnChoice.Column?] = [choice.url, choice.out, choice.size] + choice.mirrors
        for column in columns {
          if case .number(let number)? = column { require(number >= 1, "column \(number)") }
        }
      },
      words("url-templates", ["https://a/{1}/{2}", "https://a/{n.o}?{{x}}"]) { text in
        guard let template = try? URLTemplate(text: text) else { return }
        require(!template.parts.isEmpty, "a template of nothing")
      },
    ]
  }
}

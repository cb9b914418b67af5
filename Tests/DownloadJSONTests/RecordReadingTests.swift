import DownloadCore
import TestSupport
import Testing

@testable import DownloadJSON

/// JSON as servers have it, reduced.
@Suite struct `JSON records of any shape` {
  private static let sha1 = String(repeating: "0123456789", count: 4)
  private static let sha256 = Samples.sha256
  private static let md5 = Samples.md5

  private func read(
    _ text: String, _ columns: String?, template: String? = nil, base: Bool = false
  ) throws -> (list: ReadJSON, passed: Int) {
    var rules = try ReadJSON.rules(columns: columns, template: template)
    rules.allowsReferences = base
    var parser = JSONDocumentParser(rules)
    let list = ReadJSON(Array(text.utf8), parser, partSize: 5)
    #expect(ReadJSON(Array(text.utf8), parser) == list)
    Array(text.utf8).withUnsafeBytes { parser.append($0) }
    parser.end()
    while true { do { if try parser.next() == nil { break } } catch {} }
    return (list, parser.passedCount)
  }

  @Test func `keys of conda's repodata are names`() throws {
    let text = """
      {"info":{"subdir":"noarch"},"packages":{"a-1-0.tar.bz2":{"md5":"\(Self.md5)","size":7,"depends":["b"]},
      "b-1-0.tar.bz2":{"md5":"\(Self.md5)","size":8}},"packages.conda":{"c-1-0.conda":{"sha256":"\(Self.sha256)"}},"removed":[]}
      """
    let (list, _) = try read(text, "url={key},md5=packages.*.md5,size=packages.*.size", base: true)
    #expect(list.urls == [["a-1-0.tar.bz2"], ["b-1-0.tar.bz2"]] && list.errors == [] && list.lineNumbers == [1, 2])
    #expect(list.entries.map(\.size) == [7, 8] && list.digests[0] == ["md5:\(Self.md5)"])
    let conda = try read(text, "sha256=packages.conda.*.sha256,out={key}", template: "https://h/noarch/{key}").list
    #expect(conda.urls == [["https://h/noarch/c-1-0.conda"]] && conda.outs == ["c-1-0.conda"] && conda.errors == [])
    #expect(conda.digests == [["sha256:\(Self.sha256)"]])
  }

  @Test func `jobs of a Wikimedia dump have files`() throws {
    let (list, passed) = try read(
      """
      {"version":"0.8","jobs":{"articles":{"status":"done","files":{"a.bz2":{"size":5,"url":"/w/a.bz2","sha1":"\(Self.sha1)"},
      "b.bz2":{"size":6,"url":"/w/b.bz2","sha1":"\(Self.sha1)"}}},"meta":{"status":"waiting","files":{"c":{"url":"/w/c"}}},
      "later":{"status":"waiting"}}}
      """, "url=jobs.*.files.*.url,sha1=jobs.*.files.*.sha1,out={key},jobs.*.status=done", base: true)
    #expect(list.urls == [["/w/a.bz2"], ["/w/b.bz2"]] && list.outs == ["a.bz2", "b.bz2"] && list.errors == [])
    #expect(list.digests == [["sha1:\(Self.sha1)"], ["sha1:\(Self.sha1)"]] && passed == 2)
  }

  @Test func `assets of STAC items have multihashes`() throws {
    let (list, passed) = try read(
      """
      {"type":"FeatureCollection","features":[{"id":"i1","assets":{"B01":{"href":"https://h/1.tif","file:size":3,
      "file:checksum":"1220\(Self.sha256)","roles":["data"]},"thumb":{"href":"https://h/t.jpg","roles":["thumbnail","x"]}}},
      {"id":"i2","assets":{"B01":{"href":"https://h/2.tif","file:checksum":"f1220\(Self.sha256)","roles":["data"]}}}],"links":[]}
      """,
      "url=features.assets.*.href,checksum=features.assets.*.file:checksum,size=features.assets.*.file:size,"
        + "out=features.id,features.assets.*.roles=data")
    #expect(list.urls == [["https://h/1.tif"], ["https://h/2.tif"]] && list.outs == ["i1", "i2"] && list.errors == [])
    #expect(list.digests == [["sha256:\(Self.sha256)"], ["sha256:\(Self.sha256)"]] && passed == 1)
  }

  @Test func `one STAC item has its assets at the top`() throws {
    let list = try read(
      #"{"type":"Feature","id":"i","assets":{"B":{"href":"https://h/b.tif","file:checksum":"1220\#(Self.sha256)"}}}"#,
      "url=assets.*.href,checksum=assets.*.file:checksum,out={key}"
    ).list
    #expect(list.urls == [["https://h/b.tif"]] && list.outs == ["B"] && list.digests == [["sha256:\(Self.sha256)"]])
  }

  @Test func `a tree of git has blobs and others`() throws {
    let (list, passed) = try read(
      #"{"sha":"x","tree":[{"path":"d","type":"tree"},{"path":"d/a b","type":"blob","size":3},{"path":"s","type":"commit"}],"truncated":false}"#,
      "out=tree.path,size=tree.size,tree.type=blob", template: "https://h/o/r/main/{+tree.path}")
    #expect(
      list.urls == [["https://h/o/r/main/d/a%20b"]] && list.entries[0].size == 3 && passed == 2 && list.errors == [])
  }

  @Test func `an empty text is as none`() throws {
    let (list, passed) = try read(
      #"[{"u":"https://h/1","in":""},{"u":"https://h/2","in":"x"},{"u":"https://h/3","in":null}]"#, "url=u,in=")
    #expect(list.urls == [["https://h/1"], ["https://h/3"]] && passed == 1)
  }

  @Test func `an RO-Crate has other things than files`() throws {
    let (list, passed) = try read(
      """
      {"@context":"c","@graph":[{"@id":"./","@type":"Dataset"},{"@id":"a.csv","@type":"File","contentSize":"12"},
      {"@id":"b.png","@type":["File","ImageObject"]},{"@id":"#p","@type":"Person"}]}
      """, "url=@graph.@id,size=@graph.contentSize,@graph.@type=File", base: true)
    #expect(list.urls == [["a.csv"], ["b.png"]] && list.entries[0].size == 12 && list.errors == [] && passed == 2)
  }

  @Test func `a Croissant description has a digest that is a URL, and files within files`() throws {
    let (list, passed) = try read(
      """
      {"distribution":[{"@type":"cr:FileObject","@id":"r","contentUrl":"https://h/r","sha256":"https://h/issues/80"},
      {"@type":"cr:FileObject","contentUrl":"in.csv","containedIn":{"@id":"r"},"sha256":"\(Self.sha256)"},
      {"@type":"cr:FileSet","containedIn":{"@id":"r"},"includes":"*.csv"}]}
      """,
      "url=distribution.contentUrl,sha256=distribution.sha256,distribution.@type=cr:FileObject,distribution.containedIn="
    )
    #expect(list.urls == [["https://h/r"]] && list.digests == [[]] && list.errors == [] && passed == 2)
    #expect(list.entries[0].hasUnknownDigest)
  }

  @Test func `a checksum has its algorithm beside it`() throws {
    let text = """
      {"data":{"id":1,"latest":{"files":[{"dataFile":{"id":7,"name":"a","checksum":{"type":"SHA-1","value":"\(Self.sha1)"}}},
      {"dataFile":{"id":8,"name":"b"}},{"dataFile":{"id":9,"name":"c","checksum":{"type":"CRC","value":"0a0a0a0a"}}}]}}}
      """
    let columns =
      "out=data.latest.files.dataFile.name,checksum=data.latest.files.dataFile.checksum.value,"
      + "algorithm=data.latest.files.dataFile.checksum.type"
    let list = try read(text, columns, template: "https://h/{data.latest.files.dataFile.id}").list
    #expect(list.urls == [["https://h/7"], ["https://h/8"]] && list.outs == ["a", "b"])
    #expect(list.digests == [["sha1:\(Self.sha1)"], []])
    #expect(list.problems == [.unknownAlgorithm(Array("CRC".utf8))])
    let without = text.replacing(#""type":"SHA-1","#, with: "")
    #expect(
      try read(without, columns, template: "https://h/{data.latest.files.dataFile.id}").list.problems.first
        == .json(.noAlgorithm(Array("data.latest.files.dataFile.checksum.type".utf8))))
  }

  @Test func `the known one of several digests counts, and a size of 0 may be unknown`() throws {
    let list = try read(
      """
      {"value":[{"Id":"u-1","ContentLength":0,"Checksum":[{"Value":"\(Self.md5)","Algorithm":"MD5"},
      {"Value":"\(Self.sha256)","Algorithm":"BLAKE3"}]},{"Id":"u-2","ContentLength":4,"Checksum":[]}]}
      """, "size=value.ContentLength?,checksum=value.Checksum[].Value,algorithm=value.Checksum[].Algorithm",
      template: "https://h/Products({value.Id})/$value"
    ).list
    #expect(list.digests == [["md5:\(Self.md5)"], []] && list.errors == [])
    #expect(list.entries.map(\.size) == [nil, 4])
    let one = "{\"value\":[{\"u\":\"https://h/1\",\"c\":[{\"v\":\"\(Self.sha256)\",\"a\":\"BLAKE3\"}]}]}"
    #expect(
      try read(one, "url=value.u,checksum=value.c[].v,algorithm=value.c[].a").list.problems
        == [.unknownAlgorithm(Array("BLAKE3".utf8))])
  }

  @Test func `locations of one file are its mirrors`() throws {
    let text = """
      {"result":[{"files":[{"name":"S1","md5":"\(Self.md5)","locations":[{"link":"https://a/S1"},{"link":"https://b/S1"}]},
      {"name":"S2","locations":[{"link":"https://a/S2"}]}]},{"files":[]}]}
      """
    let list = try read(text, "url=result.files.locations[].link,out=result.files.name,md5=result.files.md5").list
    #expect(list.urls == [["https://a/S1", "https://b/S1"], ["https://a/S2"]] && list.outs == ["S1", "S2"])
    #expect(list.errors == [] && list.digests == [["md5:\(Self.md5)"], []])
    // Without the brackets each is a file.
    #expect(try read(text, "url=result.files.locations.link").list.urls.count == 3)
  }

  @Test func `lock files have packages without a URL, and URLs as keys`() throws {
    let sri = "sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA= sha512-" + String(repeating: "A", count: 86) + "=="
    let text = """
      {"packages":{"":{"name":"p"},"node_modules/a":{"resolved":"https://h/a.tgz","integrity":"\(sri)"},"packages/b":{"link":true}}}
      """
    let (list, passed) = try read(text, "url=packages.*.resolved?,checksum=packages.*.integrity")
    #expect(
      list.urls == [["https://h/a.tgz"]] && list.entries[0].digests.map(\.algorithm) == [.sha1, .sha512] && passed == 2)
    let (strict, _) = try read(text, "url=packages.*.resolved")
    #expect(
      strict.urls.count == 1
        && strict.problems == Array(repeating: .json(.missingKey(Array("packages.*.resolved".utf8))), count: 2))
    let bazel = try read(
      #"{"registryFileHashes":{"https://h/a":"\#(Self.sha256)","https://h/b":null}}"#,
      "url={key},sha256=registryFileHashes.*,registryFileHashes.*=*")
    #expect(
      bazel.list.urls == [["https://h/a"]] && bazel.list.digests == [["sha256:\(Self.sha256)"]] && bazel.passed == 1)
  }

  @Test func `a bottle of Homebrew has a file for each system`() throws {
    let list = try read(
      #"{"name":"wget","bottle":{"stable":{"rebuild":0,"files":{"sonoma":{"url":"https://h/s","sha256":"\#(Self.sha256)"}}}}}"#,
      "url=bottle.stable.files.*.url,sha256=bottle.stable.files.*.sha256,out={key}"
    ).list
    #expect(list.urls == [["https://h/s"]] && list.outs == ["sonoma"] && list.errors == [])
  }

  @Test func `what cannot be meant is refused`() throws {
    let text = #"{"a":[{"u":"https://h/1","n":[{"v":"x"},{"v":"y"}],"l":["x"],"t":"f"}]}"#
    func problems(_ columns: String) throws -> [ListProblem] { try read(text, columns).list.problems }
    #expect(try problems("url=a.u,out=a.n.v") == [.json(.severalValues(Array("a.n.v".utf8)))])
    #expect(try problems("url=a.u,out=a.l") == [.json(.wrongType(key: Array("a.l".utf8), expected: .text))])
    #expect(try problems("url=a.u,mirror=2") == [.json(.numberedColumn(2))])
    #expect(try problems("url=a.u,out={key}") == [.json(.noKeys)])
    #expect(try problems("url={key},md5=a.u").contains(.json(.noKeys)))
    #expect(try problems("url=a.u,a.z=x") == [.json(.unknownPath(Array("a.z".utf8)))])
    #expect(try problems("url=a.u,a.t=g,md5=a.q") == [])
    #expect(try problems("url=a.*.u") == [])
    #expect(try problems("url=a.u.*.v") == [.json(.wrongType(key: Array("a.u.*.v".utf8), expected: .object))])
    #expect(try problems("url=a.u,2=x") == [.json(.numberedColumn(2))])
  }

  @Test func `all records are read, passed over or refused`() throws {
    let isFruitful = try Fuzz.run { generator, seed in
      let count = Int.random(in: 0...20, using: &generator)
      var records: [String] = []
      var expected = (urls: [String](), passed: 0, errors: 0)
      for number in 0..<count {
        switch Int.random(in: 0...3, using: &generator) {
        case 0:
          records.append(#""k\#(number)":{"t":"no","u":"https://h/\#(number)"}"#)
          expected.passed += 1
        case 1:
          records.append(#""k\#(number)":{"t":"yes"}"#)
          expected.errors += 1
        default:
          records.append(#""k\#(number)":{"t":"yes","u":"https://h/\#(number)"}"#)
          expected.urls.append("https://h/\(number)")
        }
      }
      let text = "{\"x\":1,\"r\":{" + records.joined(separator: ",") + "}}"
      let (list, passed) = try read(text, "url=r.*.u,r.*.t=yes")
      #expect(list.urls.map { $0[0] } == expected.urls && passed == expected.passed, "seed \(seed)")
      #expect(list.errors.count == expected.errors, "seed \(seed)")
      return count > 0
    }
    #expect(isFruitful)
  }

  /// Objects in arrays in objects, whose digests stand beside their algorithms.
  @Test func `each file has its own key, size and digests`() throws {
    let isFruitful = try Fuzz.run { generator, seed in
      var expected: [(url: String, size: Int64?, digests: Set<String>)] = []
      var groups: [String] = []
      for group in 0..<Int.random(in: 0...3, using: &generator) {
        var files: [String] = []
        for number in 0..<Int.random(in: 0...3, using: &generator) {
          let size = Int64.random(in: 0...2, using: &generator)
          var digests: [(name: String, value: String)] = []
          if Bool.random(using: &generator) { digests.append(("md5", String(repeating: "\(number)", count: 32))) }
          if Bool.random(using: &generator) { digests.append(("sha256", String(repeating: "\(group)", count: 64))) }
          let known = Set(digests.map { "\($0.name):\($0.value)" })
          if !digests.isEmpty, Bool.random(using: &generator) { digests.append(("CRC", "0a")) }
          digests.shuffle(using: &generator)
          let sums = digests.map { #"{"v":"\#($0.value)","a":"\#($0.name)"}"# }.joined(separator: ",")
          files.append(#"{"u":"https://h/\#(group)/\#(number)","s":\#(size),"c":[\#(sums)]}"#)
          expected.append(("https://h/\(group)/\(number)", size == 0 ? nil : size, known))
        }
        groups.append("\"g\(group)\":{\"f\":[" + files.joined(separator: ",") + "]}")
      }
      let text = "{\"g\":{" + groups.joined(separator: ",") + "}}"
      let list = try read(text, "url=g.*.f.u,size=g.*.f.s?,checksum=g.*.f.c[].v,algorithm=g.*.f.c[].a,out={key}").list
      let isKnown = expected.contains { !$0.digests.isEmpty }
      #expect(
        list.urls == expected.map { [$0.url] } && list.entries.map(\.size) == expected.map(\.size), "seed \(seed)")
      #expect(list.digests.map(Set.init) == expected.map(\.digests), "seed \(seed)")
      #expect(list.outs == expected.map { "g" + String($0.url.dropFirst(10).prefix(1)) }, "seed \(seed)")
      // What no record has is misspelt.
      #expect(list.errors.isEmpty || !isKnown, "seed \(seed)")
      return !expected.isEmpty
    }
    #expect(isFruitful)
  }
}

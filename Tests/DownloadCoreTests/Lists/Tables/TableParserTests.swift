import TestSupport
import Testing

@testable import DownloadCore

/// All entries and errors that a parser finds, for a caller that continues after errors.
struct ParsedList: Equatable {
  var entries: [ListEntry] = []
  var errors: [ListError] = []

  init(_ bytes: [UInt8], _ parser: any ListParser, partSize: Int = .max) {
    var parser = parser
    var rest = bytes[...]
    while !rest.isEmpty {
      rest.prefix(partSize).withUnsafeBytes { parser.append($0) }
      rest = rest.dropFirst(partSize)
      readAll(&parser)
    }
    parser.end()
    readAll(&parser)
  }

  private mutating func readAll(_ parser: inout any ListParser) {
    while true {
      do throws(ListError) {
        guard let entry = try parser.next() else { return }
        entries.append(entry)
      } catch {
        errors.append(error)
      }
    }
  }

  var urls: [[String]] { entries.map { $0.urls.map { String(decoding: $0, as: UTF8.self) } } }
  var outs: [String?] { entries.map { $0.out.map { String(decoding: $0, as: UTF8.self) } } }
  var digests: [[String]] { entries.map { $0.digests.map(\.text) } }
  var problems: [TableProblem?] {
    errors.map { if case .table(let problem) = $0.problem { problem } else { nil } }
  }
}

@Suite struct `Tables` {
  static let md5 = String(repeating: "0123456789abcdef", count: 2)
  static let otherMD5 = String(repeating: "fedcba9876543210", count: 2)
  static let sha256 = String(repeating: "0123456789abcdef", count: 4)

  static func rules(
    columns: String? = nil, template: String? = nil, scheme: String? = nil, allowsReferences: Bool = false
  ) throws -> ColumnRules {
    ColumnRules(
      choice: try columns.map { try ColumnChoice(text: Array($0.utf8)) },
      template: try template.map { try URLTemplate(text: Array($0.utf8)) }, scheme: scheme,
      allowsReferences: allowsReferences)
  }

  private func parsed(_ text: String, _ rules: ColumnRules = ColumnRules()) -> ParsedList {
    let list = ParsedList(Array(text.utf8), TableParser(rules))
    for partSize in [1, 5] {
      #expect(ParsedList(Array(text.utf8), TableParser(rules), partSize: partSize) == list)
    }
    return list
  }

  // MARK: Known names

  @Test func `the names in the header decide`() {
    let list = parsed(
      """
      Title,File URL,Filename,SHA256sum,MD5,bytes,mirror
      "a, b",https://h/1,x/1,\(Self.sha256.uppercased()),\(Self.md5),12,https://m/1
      c,https://h/2#md5=\(Self.md5),,,,,

      """)
    #expect(list.urls == [["https://h/1", "https://m/1"], ["https://h/2"]] && list.errors == [])
    #expect(list.outs == ["x/1", nil] && list.entries.map(\.size) == [12, nil])
    #expect(list.digests == [["sha256:\(Self.sha256)", "md5:\(Self.md5)"], ["md5:\(Self.md5)"]])
    #expect(list.entries.map(\.lineNumber) == [2, 3])
  }

  @Test func `a checksum column names its algorithms`() {
    let list = parsed("url\tchecksum\nhttps://h/1\tmd5:\(Self.md5)\nhttps://h/2\t\(Self.md5)\nhttps://h/3\tcrc:12\n")
    #expect(list.digests == [["md5:\(Self.md5)"]])
    #expect(list.errors.map(\.problem) == [.table(.unnamedDigest), .unknownAlgorithm(Array("crc".utf8))])
  }

  @Test func `the first known name counts, and must be there once`() {
    #expect(parsed("link,url,name,filename\nhttps://l,https://u,n,f\n").urls == [["https://u"]])
    #expect(parsed("link,url,name,filename\nhttps://l,https://u,n,f\n").outs == ["f"])
    #expect(parsed("url,URL\nhttps://a/1,https://a/2\n").problems == [.ambiguousColumn(Array("url".utf8))])
  }

  @Test func `a table without URLs is refused with its columns, once`() {
    let list = parsed("a,b\n1,2\n3,4\n")
    #expect(list.errors == [ListError(lineNumber: 1, .table(.noURLColumn([[0x61], [0x62]])))])
    #expect(list.entries == [])
  }

  @Test func `an invalid row does not hide the following ones`() {
    let list = parsed(
      """
      url,md5,size
      https://h/1,zz,1
      https://h/2,,-1
      https://h/3,,9223372036854775808
      https://h/4,,1.5
      h/5,,
      ,,7
      https://h/7\u{1},,
      https://h/8,,9223372036854775807
      """)
    #expect(list.urls == [["https://h/8"]] && list.entries.first?.size == .max)
    #expect(list.errors.map(\.lineNumber) == [2, 3, 4, 5, 6, 7, 8])
    #expect(list.errors.first?.problem == .malformedDigest(.md5) && list.errors.last?.problem == .controlCharacter)
    #expect(
      list.problems[1...5] == [
        .notSize(Array("-1".utf8)), .notSize(Array("9223372036854775808".utf8)), .notSize(Array("1.5".utf8)),
        .notURL(Array("h/5".utf8)), .emptyURL,
      ])
  }

  @Test func `blank rows and repeated headers are passed over`() {
    let list = parsed("url,md5\nhttps://h/1,\n,\n\nurl,md5\nhttps://h/2,\n")
    #expect(list.urls == [["https://h/1"], ["https://h/2"]] && list.errors == [])
  }

  @Test func `contradictory digests are refused`() {
    let list = parsed("url,md5,md5sum\nhttps://h/1,\(Self.md5),\(Self.otherMD5)\n")
    #expect(list.errors == [ListError(lineNumber: 2, .contradictoryDigests(.md5))])
  }

  @Test(arguments: ["SHA-256", "sha_256", "SHA 256 checksum", "sha256", "SHA256-Sum", "sha-256 hash"])
  func `a column named like an algorithm, however that is spelled, has digests`(name: String) {
    let list = parsed("url,\(name)\nhttps://h/1,\(Self.sha256)\n")
    #expect(list.digests == [["sha256:\(Self.sha256)"]] && list.errors == [])
  }

  // MARK: Options

  @Test func `columns are chosen by names and numbers`() throws {
    let table = "a,b,c,d,e\nhttps://h/1,x,md5:\(Self.md5),7,https://m/1\n"
    let byName = parsed(table, try Self.rules(columns: "url=A,out=b,md5=c,size=d,mirror=e"))
    let byNumber = parsed(table, try Self.rules(columns: "url=1,out=2,md5=3,size=4,mirror=5"))
    #expect(byName == byNumber && byName.errors == [])
    #expect(byName.urls == [["https://h/1", "https://m/1"]] && byName.outs == ["x"])
    #expect(byName.digests == [["md5:\(Self.md5)"]] && byName.entries.first?.size == 7)
  }

  @Test func `a table that is read by numbers may lack a header`() throws {
    let rules = try Self.rules(columns: "url=2,out=1")
    #expect(parsed("a,https://h/1\nb,https://h/2\n", rules).urls == [["https://h/1"], ["https://h/2"]])
    #expect(parsed("a,https://h/1\nb,https://h/2\n", rules).entries.map(\.lineNumber) == [1, 2])
    #expect(parsed("name,link\nb,https://h/2\n", rules).urls == [["https://h/2"]])
  }

  /// Each first row is a file or a header, for each of the options by which numbers may make a URL.
  @Test(arguments: [
    ("a/1.dat,x", 2), ("1.dat,x", 2), ("SRR1,x", 2), ("plain,x", 2), ("plain,17", 2), ("plain,\(md5)", 2),
    ("id,\(md5)", 2),
    ("sub/name,name", 2), ("ftp.example.org/a,x", 2), ("plain,", 2), ("Überschrift,x", 2),
    ("name,x", 1), ("File Path,x", 1), ("accession,md5", 1), ("probe,md5", 1), ("sample_id,SHA-256", 1), ("id,name", 1),
    ("#probe,x", 1), ("\u{feff}url,x", 1),
  ])
  func `a first row is a header only if something says so`(first: String, count: Int) throws {
    let table = first + "\nb/2.dat,\n"
    for rules in [
      try Self.rules(template: "https://h/{+1}"), try Self.rules(columns: "url=1", allowsReferences: true),
      try Self.rules(columns: "url=1", scheme: "https"),
    ] {
      let list = parsed(table, rules)
      #expect(list.entries.count == count && list.errors == [], "\(first) \(list.urls)")
      #expect(list.entries.last?.lineNumber == 2)
    }
  }

  @Test func `a digest in its column is that of a file, and a bad one is an error`() throws {
    let rules = try Self.rules(columns: "url=1,sha256=2", allowsReferences: true)
    for digest in [Self.sha256, "ASNFZ4mrze8BI0VniavN7wEjRWeJq83vASNFZ4mrze8="] {
      #expect(parsed("id,\(digest)\nb,\n", rules).digests == [["sha256:\(Self.sha256)"], []])
    }
    #expect(parsed("a.dat,\(Self.md5)\nb,\n", rules).errors.map(\.problem) == [.malformedDigest(.sha256)])
    // Whole URLs are wanted, and this is none.
    let urls = try Self.rules(columns: "url=1")
    #expect(parsed("www.example.org/a,x\nhttps://h/1,y\n", urls).errors.count == 1)
  }

  @Test func `columns that do not exist are refused with those that do`() throws {
    let columns = [Array("a".utf8), Array("b".utf8)]
    let name = parsed("a,b\n1,2\n", try Self.rules(columns: "url=link"))
    #expect(name.problems == [.unknownColumn(Array("link".utf8), columns)])
    let number = parsed("a,b\n1,2\n", try Self.rules(columns: "url=3"))
    #expect(number.problems == [.columnBeyondEnd(3, count: 2)])
    let brace = parsed("a,b\n1,2\n", try Self.rules(template: "https://h/{c}"))
    #expect(brace.problems == [.unknownColumn(Array("c".utf8), columns)])
    let twice = parsed("a,a\n1,2\n", try Self.rules(columns: "url=a"))
    #expect(twice.problems == [.ambiguousColumn(Array("a".utf8))])
    #expect(parsed("a,A\nhttps://h/1,2\n", try Self.rules(columns: "url=a")).urls == [["https://h/1"]])
  }

  @Test func `a template makes URLs of columns`() throws {
    let list = parsed(
      "id,b,md5\na b/c,d,\(Self.md5)\n,d,\n..,d,\n", try Self.rules(template: "https://h/{ID}/{2}?x"))
    #expect(list.urls == [["https://h/a%20b%2Fc/d?x"]] && list.digests == [["md5:\(Self.md5)"]])
    #expect(list.problems == Array(repeating: .unusableTemplateValue(Array("ID".utf8)), count: 2))
  }

  @Test func `a scheme stands before URLs without one`() throws {
    let list = parsed(
      "url,out\nh/a#1 b%20c%,x\nhttp://h/2,y\n", try Self.rules(scheme: "https", allowsReferences: true))
    #expect(list.urls == [["https://h/a%231%20b%20c%25"], ["http://h/2"]] && list.errors == [])
    #expect(parsed("url,out\nsub/a,x\n", try Self.rules(allowsReferences: true)).urls == [["sub/a"]])
  }

  // MARK: Archives

  @Test func `an ENA file report gives one entry a file`() {
    let list = parsed(
      """
      run_accession\tfastq_ftp\tfastq_md5\tfastq_bytes\tsubmitted_ftp
      ERR1\tftp.sra.ebi.ac.uk/vol1/ERR1_1.fastq.gz;ftp.sra.ebi.ac.uk/vol1/ERR1_2.fastq.gz\t\(Self.md5);\(Self.otherMD5)\t1;2\t
      ERR2\t\t\t\tftp.sra.ebi.ac.uk/vol1/7069_2#1.bam
      ERR3\t\t\t\t
      """)
    #expect(list.errors == [])
    #expect(
      list.urls == [
        ["https://ftp.sra.ebi.ac.uk/vol1/ERR1_1.fastq.gz"], ["https://ftp.sra.ebi.ac.uk/vol1/ERR1_2.fastq.gz"],
        ["https://ftp.sra.ebi.ac.uk/vol1/7069_2%231.bam"],
      ])
    #expect(list.digests == [["md5:\(Self.md5)"], ["md5:\(Self.otherMD5)"], []])
    #expect(list.entries.map(\.size) == [1, 2, nil] && list.entries.map(\.lineNumber) == [2, 2, 3])
  }

  @Test func `parallel lists must have the same length`() throws {
    let list = parsed(
      """
      run_accession\tfastq_ftp\tfastq_md5\tfastq_bytes
      ERR1\th/1;h/2\t\(Self.md5)\t1;2
      ERR2\th/1\t\(Self.md5)\t1;2
      ERR3\t\t\(Self.md5)\t
      ERR4\th/1;\t\t
      ERR5\th/5\t\(Self.md5)\t5
      """)
    #expect(list.urls == [["https://h/5"]] && list.errors.map(\.lineNumber) == [2, 3, 4, 5])
    #expect(
      list.problems == [
        .listLength(column: Array("fastq_md5".utf8), found: 1, expected: 2),
        .listLength(column: Array("fastq_bytes".utf8), found: 2, expected: 1),
        .listLength(column: Array("fastq_md5".utf8), found: 1, expected: 0), .emptyURL,
      ])
  }

  @Test func `columns and scheme of a report can be chosen`() throws {
    let list = parsed(
      "fastq_ftp\tsubmitted_ftp\tsubmitted_md5\nh/1\th/2;h/3\t\(Self.md5);\(Self.otherMD5)\n",
      try Self.rules(columns: "url=submitted_ftp,md5=submitted_md5", scheme: "http"))
    #expect(list.urls == [["http://h/2"], ["http://h/3"]])
    #expect(list.digests == [["md5:\(Self.md5)"], ["md5:\(Self.otherMD5)"]])
  }

  @Test func `addresses for Aspera only are refused by name`() {
    #expect(parsed("run_accession\tfastq_aspera\nE\tfasp.sra.ebi.ac.uk:/vol1/x\n").problems == [.asperaOnly])
  }

  @Test func `a run table of the SRA names its files; runs that are not public have none`() {
    let list = parsed(
      """
      Run,ReleaseDate,bases,size_MB,download_path,RunHash
      SRR1,2013-01-01 00:00:00,1,2,https://sra-downloadb.be-md.ncbi.nlm.nih.gov/SRR1/SRR1.1,\(Self.md5)
      SRR2,2013-01-01 00:00:00,1,2,,\(Self.md5)

      """)
    #expect(list.urls == [["https://sra-downloadb.be-md.ncbi.nlm.nih.gov/SRR1/SRR1.1"]])
    #expect(list.digests == [[]] && list.errors == [] && list.entries.first?.size == nil)
  }

  @Test func `a GDC manifest needs a template`() throws {
    let manifest = "id\tfilename\tmd5\tsize\tstate\n0d1f-2a\ta.bam\t\(Self.md5)\t12\treleased\n"
    #expect(parsed(manifest).problems == [.gdcWithoutTemplate])
    let list = parsed(manifest, try Self.rules(template: "https://api.gdc.cancer.gov/data/{id}"))
    #expect(list.urls == [["https://api.gdc.cancer.gov/data/0d1f-2a"]] && list.outs == ["a.bam"])
    #expect(list.digests == [["md5:\(Self.md5)"]] && list.entries.first?.size == 12)
  }

  // MARK: Lists that people have

  @Test func `conditions and optional URLs pass rows over`() throws {
    let rules = try Self.rules(columns: "url=url?,checksum=sum,algorithm=kind,type=file,old=")
    let text = """
      type,url,sum,kind,old
      file,https://h/1,\(Self.md5),MD5,
      dir,https://h/2,,,
      file,,,,
      file,https://h/3,\(Self.md5),MD5,yes
      file,https://h/4,0a0a0a0a,crc32,
      file,https://h/5,,none,
      """
    let list = parsed(text, rules)
    #expect(list.urls == [["https://h/1"], ["https://h/5"]] && list.digests == [["md5:\(Self.md5)"], []])
    #expect(list.errors.map(\.problem) == [.unknownAlgorithm(Array("crc32".utf8))])
    var parser = TableParser(rules)
    Array(text.utf8).withUnsafeBytes { parser.append($0) }
    parser.end()
    while true { do { if try parser.next() == nil { break } } catch {} }
    #expect(parser.passedCount == 3)
    #expect(
      parsed("url\n", try Self.rules(columns: "url={key}")).problems == [
        .unknownColumn(Array("{key}".utf8), [Array("url".utf8)])
      ])
  }

  @Test func `an index of the 1000 Genomes has comments and a header with a sign`() throws {
    let list = parsed(
      "##Date=2020\n##x\ty\n#ENA_PATH\tMD5\tRUN\nftp://h/a\t\(Self.md5)\tR\n",
      try Self.rules(columns: "url=ENA_PATH,md5=MD5"))
    #expect(list.urls == [["ftp://h/a"]] && list.digests == [["md5:\(Self.md5)"]] && list.errors.isEmpty)
    #expect(ListDetector.format(of: Array("##x\n#url\tmd5\nhttps://h/a\t\(Self.md5)\n".utf8)) == .tsv)
  }

  @Test func `a table of one column has URLs with any separator`() {
    let text = "url\nhttps://h/a,b\nhttps://h/c;d\n"
    #expect(ListDetector.format(of: Array(text.utf8)) == .csv)
    #expect(parsed(text).urls == [["https://h/a,b"], ["https://h/c;d"]])
    #expect(ListDetector.format(of: Array("link\nx\n".utf8)) == .urlList)
  }

  @Test func `tables of data sets have words, quoted or with a TAB`() throws {
    // url_checksums of TensorFlow Datasets, old and new.
    let datasets = try Self.rules(columns: "url=1,size=2,sha256=3")
    func fields(_ text: String, _ rules: ColumnRules) -> ParsedList {
      ParsedList(Array(text.utf8), TableParser(rules, separator: RowSplitter.blanks))
    }
    for list in [
      fields("https://h/t10k.gz 1648877 \(Self.sha256)\nhttps://h/train.gz 28881 \(Self.sha256)\n", datasets),
      parsed(
        "https://h/t10k.gz\t1648877\t\(Self.sha256)\tt10k.gz\nhttps://h/train.gz\t28881\t\(Self.sha256)\ttrain.gz\n",
        datasets),
    ] {
      #expect(
        list.urls == [["https://h/t10k.gz"], ["https://h/train.gz"]] && list.entries.map(\.size) == [1_648_877, 28881])
      #expect(list.digests == [["sha256:\(Self.sha256)"], ["sha256:\(Self.sha256)"]] && list.errors == [])
    }
    // Files of a script of ESGF, of which one has no checksum.
    let climate = fields(
      "'tas_Amon.nc' 'http://h/thredds/tas_Amon.nc' 'SHA256' '\(Self.sha256)'\n'a b.nc' 'http://h/b.nc' '' ''\n",
      try Self.rules(columns: "out=1,url=2,algorithm=3,checksum=4"))
    #expect(climate.outs == ["tas_Amon.nc", "a b.nc"] && climate.errors == [])
    #expect(climate.digests == [["sha256:\(Self.sha256)"], []])
    // What git annex addurl --batch --with-files reads.
    let annex = fields("https://h/images/1.png images/1.png\n", try Self.rules(columns: "url=1,out=2"))
    #expect(annex.urls == [["https://h/images/1.png"]] && annex.outs == ["images/1.png"])
  }

  @Test func `an index of Genome in a Bottle has two files in a row, of which columns take one`() throws {
    let text = """
      FASTQ\tFASTQ_MD5\tPAIRED_FASTQ\tPAIRED_FASTQ_MD5\tNIST_SAMPLE_NAME
      ftp://h/giab/R1.fastq.gz\t\(Self.md5)\tftp://h/giab/R2.fastq.gz\t\(Self.otherMD5)\tNIST7035
      """
    let first = parsed(text, try Self.rules(columns: "url=FASTQ,md5=FASTQ_MD5"))
    #expect(first.urls == [["ftp://h/giab/R1.fastq.gz"]] && first.digests == [["md5:\(Self.md5)"]])
    let second = parsed(text, try Self.rules(columns: "url=PAIRED_FASTQ,md5=PAIRED_FASTQ_MD5"))
    #expect(second.urls == [["ftp://h/giab/R2.fastq.gz"]] && second.digests == [["md5:\(Self.otherMD5)"]])
  }

  /// Rows of random fields with any separator, quoted where they must be.
  @Test(arguments: [0x09, UInt8(ascii: ","), UInt8(ascii: ";"), RowSplitter.blanks])
  func `every row is a file, passed over or wrong`(separator: UInt8) throws {
    let rules = try Self.rules(columns: "url=1?,out=2,md5=3,4=yes")
    let alphabet = Array("ab ,;'\t\"".utf8)
    let isFruitful = Fuzz.run { generator, seed in
      var text =
        "#c1\(Character(UnicodeScalar(separator)))c2\(Character(UnicodeScalar(separator)))c3\(Character(UnicodeScalar(separator)))c4\n"
      var expected: [(url: String, out: String?, hasDigest: Bool)] = []
      var counts = (passed: 0, errors: 0)
      for number in 0..<Int.random(in: 1...6, using: &generator) {
        var name = (0..<Int.random(in: 0...5, using: &generator)).map { _ in alphabet.randomElement(using: &generator)!
        }
        // No escape stands for a quotation mark between words.
        if separator == RowSplitter.blanks { name.removeAll { $0 == UInt8(ascii: "\"") } }
        let url = Bool.random(using: &generator) ? "https://h/\(number),;'" : ""
        let digest = ["", Self.md5, "0"].randomElement(using: &generator)!
        let isWanted = Int.random(in: 0..<4, using: &generator) > 0
        var fields = [url, String(decoding: name, as: UTF8.self), digest, isWanted ? "yes" : "no"]
        let isRow = Int.random(in: 0..<6, using: &generator) > 0
        if !isRow { fields.removeLast() }
        text +=
          fields.map { "\"" + $0.replacing("\"", with: "\"\"") + "\"" }.joined(
            separator: String(UnicodeScalar(separator))) + "\n"
        if !isRow || isWanted && !url.isEmpty && digest == "0" {
          counts.errors += 1
        } else if !isWanted || url.isEmpty {
          counts.passed += 1
        } else {
          expected.append((url, name.isEmpty ? nil : fields[1], !digest.isEmpty))
        }
      }
      var parser = TableParser(rules, separator: separator)
      let list = ParsedList(Array(text.utf8), parser, partSize: Int.random(in: 1...200, using: &generator))
      #expect(list.urls == expected.map { [$0.url] } && list.outs == expected.map(\.out), "seed \(seed)")
      #expect(list.digests.map { !$0.isEmpty } == expected.map(\.hasDigest), "seed \(seed)")
      #expect(list.errors.count == counts.errors, "seed \(seed)")
      Array(text.utf8).withUnsafeBytes { parser.append($0) }
      parser.end()
      while true { do { if try parser.next() == nil { break } } catch {} }
      #expect(parser.passedCount == counts.passed, "seed \(seed)")
      return !expected.isEmpty
    }
    #expect(isFruitful)
  }

  @Test func `columns are variables`() throws {
    var rules = try Self.rules(template: "https://h/{id}")
    rules.variables = [.name(Array("id".utf8)), .number(2)]
    let list = parsed("id,filename,md5,size\n1,a,,\n2,,,\n", rules)
    #expect(list.entries.map(\.variables) == [[Array("1".utf8), Array("a".utf8)]])
    #expect(list.problems == [.unusableTemplateValue(Array("2".utf8))])
    rules.variables = [.name(Array("ip".utf8))]
    #expect(parsed("id,filename,md5,size\n1,a,,\n", rules).problems.first != nil)
  }

  @Test func `digests are in base64, of header fields, several or elsewhere`() {
    let list = parsed(
      """
      url,Content-MD5,md5_base64,checksum,sha256
      https://h/1,AAAAAAAAAAAAAAAAAAAAAA==,,"sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA= blake3:\(Self.sha256)",https://h/1.sha256
      https://h/2,,AAAAAAAAAAAAAAAAAAAAAA==,blake3:\(Self.sha256),1220\(Self.sha256)
      """)
    let zeros = String(repeating: "0", count: 32)
    #expect(list.digests == [["md5:\(zeros)", "sha1:\(zeros)00000000"]] && list.entries[0].hasUnknownDigest)
    #expect(list.errors.map(\.problem) == [.unknownAlgorithm(Array("blake3".utf8))])
  }
}

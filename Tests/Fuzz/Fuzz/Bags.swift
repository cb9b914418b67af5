import DownloadCore

extension FuzzTarget {
  private static let sha256 = String(repeating: "0123456789abcdef", count: 4)

  /// A parser of a file of a bag.
  private static func bagFile<Parser: IncrementalParser>(
    _ name: String, _ sample: String, choiceCount: Int = 1, _ make: @escaping (FuzzInput) -> Parser,
    _ check: @escaping (FuzzInput, [Parser.Element]) -> Void
  ) -> FuzzTarget where Parser.Element: Equatable {
    FuzzTarget(name: name, choiceCount: choiceCount, samples: [Array(sample.utf8)]) { input in
      let whole = Reading(input, isWhole: true, make(input))
      require(Reading(input, isWhole: false, make(input)) == whole, "parts change what is read")
      whole.requireErrors(input.text)
      check(input, whole.elements)
    }
  }

  private static func manifestName(_ input: FuzzInput) -> BagManifestName {
    let names = ["manifest-sha256.txt", "tagmanifest-sha256.txt", "manifest-tiger.txt"]
    return BagManifestName(Array(input.among(names).utf8))!
  }

  /// The name of a bag's file leads nowhere else.
  private static func requireBelow(_ path: BagPath) {
    for component in path.key.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
      require(![[], [0x2e], [0x2e, 0x2e]].contains(Array(component)), "\(path)")
    }
    require(path.key.first != UInt8(ascii: "~") && !path.key.contains(0), "\(path)")
  }

  static var bags: [FuzzTarget] {
    [
      bagFile(
        "bag-manifest", "\(sha256)  data/a\n\(sha256) *data/b c%0A%25\r\n\(sha256)\t./m/%0d~\n", choiceCount: 3,
        { BagManifestParser(manifestName($0)) }
      ) { input, lines in
        let listing = BagListing()
        listing.begin(manifestName(input))
        for line in lines {
          requireBelow(line.path)
          try? listing.add(line, allowsRepeats: input.choice & 0x40 != 0)
        }
        for index in 0..<listing.count {
          let name = listing.name(at: index) { $0.count & 1 == 0 }
          require(!name.isEmpty && name.first != UInt8(ascii: "/"), "a name \(name)")
          requireInside(name)
          require(listing.digests(at: index).count <= 1 && listing.place(of: index) != nil, "\(name)")
        }
      },
      bagFile("bag-fetch", "https://h/a 12 data/a\nhttps://h/b#x\t-\tdata/a b%0A\n", { _ in BagFetchParser() }) {
        for line in $1 {
          requireBelow(line.path)
          require(line.path.key.starts(with: "data/".utf8) && line.length ?? 0 >= 0, "\(line)")
        }
      },
      bagFile(
        "bag-info", "Source: x\n y\nPayload-Oxum: 12\n  .3\nBagging-Date: 2026-01-01\r\n", { _ in BagInfoParser() }
      ) {
        for line in $1 { require(line.oxum.byteCount >= 0 && line.oxum.fileCount >= 0, "\(line)") }
      },
      FuzzTarget(
        name: "bag-declaration",
        samples: [
          "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n",
          "BagIt-Version : 0.97\r\nX: y\rTag-File-Character-Encoding:utf-8",
        ].map { Array($0.utf8) }
      ) { input in
        do throws(ListError) { _ = try BagDeclaration(input.text) } catch {
          let lineCount = input.text.count { $0 == 0x0a || $0 == 0x0d } + 1
          require((1...lineCount).contains(error.lineNumber), "an error in line \(error.lineNumber)")
        }
      },
    ]
  }
}

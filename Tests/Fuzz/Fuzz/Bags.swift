import DownloadCore

extension FuzzTarget {
  private static let sha256 = String(repeating: "0123456789abcdef", count: 4)

  private static func manifest(_ name: String) -> BagManifestParser {
    BagManifestParser(BagManifestName(Array(name.utf8))!)
  }

  /// The name of a bag's file leads nowhere else.
  private static func requireInside(_ path: BagPath) {
    let components = path.key.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    for component in components {
      require(
        !component.isEmpty && !component.elementsEqual("..".utf8) && !component.elementsEqual(".".utf8), "\(path)")
    }
    require(path.key.first != UInt8(ascii: "~") && !path.key.contains(0), "\(path)")
  }

  static var bags: [FuzzTarget] {
    [
      FuzzTarget(
        name: "bag-manifest", choiceCount: 3,
        samples: ["\(sha256)  data/a\n\(sha256) *data/b c%0A%25\r\n\(sha256)\t./m/%0d~\n"].map { Array($0.utf8) }
      ) { input in
        let name = input.among(["manifest-sha256.txt", "tagmanifest-sha256.txt", "manifest-tiger.txt"])
        let whole = Reading.whole(input.text, manifest(name))
        require(Reading.inParts(input, manifest(name)) == whole, "parts change what is read")
        whole.requireErrors(input.text)
        var listing = BagListing()
        listing.begin(BagManifestName(Array(name.utf8))!)
        for line in whole.elements {
          requireInside(line.path)
          try? listing.add(line, allowsRepeats: input.choice & 0x40 != 0)
        }
        for index in 0..<listing.count {
          let written = listing.name(at: index) { $0.count & 1 == 0 }
          require(!written.isEmpty && written.first != UInt8(ascii: "/"), "a name \(written)")
          DownloadCoreNames.requireInside(written)
          _ = listing.digests(at: index)
          _ = listing.place(of: index)
        }
      },
      FuzzTarget(
        name: "bag-fetch", samples: [Array("https://h/a 12 data/a\nhttps://h/b#x\t-\tdata/a b%0A\n".utf8)]
      ) { input in
        let whole = Reading.whole(input.text, BagFetchParser())
        require(Reading.inParts(input, BagFetchParser()) == whole, "parts change what is read")
        whole.requireErrors(input.text)
        for line in whole.elements {
          requireInside(line.path)
          require(line.path.key.starts(with: "data/".utf8) && line.length ?? 0 >= 0, "\(line)")
        }
      },
      FuzzTarget(
        name: "bag-info", samples: [Array("Source: x\n y\nPayload-Oxum: 12\n  .3\nBagging-Date: 2026-01-01\r\n".utf8)]
      ) { input in
        let whole = Reading.whole(input.text, BagInfoParser())
        require(Reading.inParts(input, BagInfoParser()) == whole, "parts change what is read")
        whole.requireErrors(input.text)
        for line in whole.elements {
          require(line.oxum.byteCount >= 0 && line.oxum.fileCount >= 0, "\(line)")
        }
      },
      FuzzTarget(
        name: "bag-declaration",
        samples: [
          "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n",
          "BagIt-Version : 0.97\r\nX: y\rTag-File-Character-Encoding:utf-8",
        ]
        .map { Array($0.utf8) }
      ) { input in
        do throws(ManifestError) { _ = try BagDeclaration(input.text) } catch {
          let lineCount = input.text.count { $0 == 0x0a || $0 == 0x0d } + 1
          require((1...lineCount).contains(error.lineNumber), "an error in line \(error.lineNumber)")
        }
      },
    ]
  }
}

/// `requireInside` for names, beside the one for bag paths.
private enum DownloadCoreNames {
  static func requireInside(_ name: [UInt8]) { Fuzz.requireInside(name) }
}

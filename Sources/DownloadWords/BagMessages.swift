internal import DownloadCore

/// What a person reads of an invalid file of a BagIt bag.
package enum BagMessages {
  static func message(_ problem: BagProblem) -> String {
    switch problem {
    case .byteOrderMark: "the file begins with a byte order mark, which BagIt forbids"
    case .malformedDeclaration: "the file is not the declaration of a bag"
    case .unknownVersion(let text): "the BagIt version \(Quotation.text(text)) is not known"
    case .unsupportedEncoding(let text): "the encoding \(Quotation.text(text)) of the tag files is not supported"
    case .notUTF8: "the name is not UTF-8"
    case .bareCarriageReturn: "the name contains a carriage return that is not encoded"
    case .invalidName(let name, let error): "'\(shown(name))': \(RequestMessages.reason(error))"
    case .homeDirectory(let name): "'\(shown(name))' begins with '~', which other programs expand"
    case .outsidePayload(let name): "'\(shown(name))' is not below data/"
    case .insidePayload(let name): "'\(shown(name))' is a payload file, which a tag manifest must not list"
    case .notManifestLine: "the line is not a checksum and a name"
    case .repeatedName(let name, let line): "'\(shown(name))' is listed on line \(line) already"
    case .contradictoryDigests(let name, let line): "'\(shown(name))' has another checksum on line \(line)"
    case .missingInManifest(let name, let manifest): "'\(shown(name))' is not listed in \(shown(manifest))"
    case .repeatedAlgorithm(let manifest): "\(shown(manifest)) has the same algorithm"
    case .notFetchLine: "the line is not a URL, a length and a name"
    case .notLength(let text): "the length \(Quotation.text(text)) is not a number of bytes below 2^63, or -"
    case .notInManifest(let name): "'\(shown(name))' is listed in no payload manifest"
    case .repeatedURL(let name, let line): "'\(shown(name))' has a URL on line \(line) already"
    case .missingWithoutURL(let name): "'\(shown(name))' is missing, and fetch.txt has no URL for it"
    case .notTagLine: "the line is not of the form 'Label: value'"
    case .malformedOxum: "the Payload-Oxum is not of the form BYTES.FILES"
    case .contradictoryOxum: "the bag has two different values of Payload-Oxum"
    case .noPayloadManifest: "the bag has no payload manifest"
    case .noKnownManifest: "no payload manifest has a known algorithm"
    }
  }

  static func hint(_ problem: BagProblem) -> String? {
    switch problem {
    case .byteOrderMark: "write the file as UTF-8 without a byte order mark"
    case .malformedDeclaration:
      "the two lines of bagit.txt are 'BagIt-Version: 1.0' and 'Tag-File-Character-Encoding: UTF-8'"
    case .unknownVersion:
      "known versions: " + BagDeclaration.Version.allCases.map(\.rawValue).joined(separator: ", ")
    case .unsupportedEncoding: "convert the tag files to UTF-8, and write new tag manifests"
    case .notUTF8: "names in a bag are UTF-8"
    case .bareCarriageReturn: "lines end with LF or CRLF; in a name a carriage return is %0D"
    case .outsidePayload: "payload manifests and fetch.txt name payload files only"
    case .notManifestLine: "a line is the checksum in hexadecimal digits, blanks, and the name"
    case .repeatedName: "in BagIt 1.0 each file is listed exactly once; remove one of the lines"
    case .contradictoryDigests: "one of the two is wrong; ask the author of the bag"
    case .missingInManifest: "in BagIt 1.0 every payload manifest lists every payload file"
    case .repeatedAlgorithm: "remove one of the two manifests, and write new tag manifests"
    case .repeatedURL: "fetch.txt has one URL for each file; remove one of the lines"
    case .notInManifest: "without a checksum the file cannot become part of the bag; ask the author of the bag"
    case .notFetchLine: "a line of fetch.txt is URL LENGTH NAME, where LENGTH may be -"
    case .missingWithoutURL: "the bag cannot become complete; get the file from the author, or add its URL to fetch.txt"
    case .noPayloadManifest: "a bag has at least one file named manifest-ALGORITHM.txt"
    case .noKnownManifest: "known algorithms: " + DigestAlgorithm.allCases.map(\.rawValue).joined(separator: ", ")
    case .invalidName, .homeDirectory, .insidePayload, .notLength, .notTagLine, .malformedOxum, .contradictoryOxum: nil
    }
  }

  /// How the files that `--failed` lists get into their bag.
  package static func failed(_ list: [UInt8], of bag: [UInt8]) -> Diagnostic {
    let (list, bag) = (NamedFiles.shown(list), NamedFiles.shown(bag))
    return Diagnostic(
      words: "the files of \(list) belong to the bag \(bag)",
      hint: "swiftget \(.inputFile, list) \(.dir, bag) downloads them")
  }

  private static func shown(_ name: [UInt8]) -> String { Diagnostic.escaped(Redaction.name(name)) }
}

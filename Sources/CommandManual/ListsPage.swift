package import DownloadCore

/// `swiftget help lists`: the formats of lists. A test runs every example.
package enum ListsPage {
  /// A kind of lists that is read without further options but `--base-url`.
  package struct Kind: Sendable {
    package let format: ListFormat
    /// How it is recognised, in a sentence.
    let summary: String
    /// Whether its names are found below `--base-url`.
    package let needsBase: Bool
    /// The last lines of the page's example; HEX is a SHA-256.
    package let example: [String]
  }

  /// A list that options describe.
  package struct Recipe: Sendable {
    let subject: String
    /// The command, on lines that a backslash ends, so that no quotation goes over an end.
    package let command: [String]
  }

  package static let kinds = [
    Kind(
      format: .urlList, summary: "A URL on each line, bare, quoted or as an item of Markdown.", needsBase: false,
      example: ["https://example.org/a.iso sha256:HEX", "- https://example.org/b.iso"]),
    Kind(
      format: .aria2, summary: "Mirrors separated by TABs, and options on indented lines.", needsBase: false,
      example: ["https://example.org/a.iso", "  out=isos/a.iso", "  checksum=sha-256=HEX"]),
    Kind(
      format: .checksums, summary: "Lines of sha256sum and similar programs, also after some lines of text.",
      needsBase: true, example: ["HEX  isos/a.iso", "SHA256 (b.iso) = HEX"]),
    Kind(
      format: .metalink, summary: "XML whose root is named metalink.", needsBase: false,
      example: [
        "<metalink xmlns=\"urn:ietf:params:xml:ns:metalink\"><file name=\"a.iso\">",
        "<url>https://example.org/a.iso</url></file></metalink>",
      ]),
    Kind(
      format: .tsv, summary: "A table with TABs, whose first row has names of columns.", needsBase: false,
      example: ["url\tsha256\tfilename", "https://example.org/a.iso\tHEX\tfirst.iso"]),
    Kind(
      format: .csv, summary: "The same with commas or semicolons.", needsBase: false,
      example: ["url,size", "https://example.org/a.iso,4194304"]),
    Kind(
      format: .json, summary: "Objects in swiftget's own form, or a data package.", needsBase: false,
      example: ["{\"version\": 1, \"files\": [", "  {\"url\": \"https://example.org/a.iso\", \"out\": \"a.iso\"}]}"]),
    Kind(
      format: .jsonl, summary: "Such an object on each line.", needsBase: false,
      example: ["{\"url\": \"https://example.org/a.iso\", \"size\": 4194304}"]),
    Kind(
      format: .pooch, summary: "A name and its hash on each line.", needsBase: true, example: ["data/a.csv sha256:HEX"]),
    Kind(
      format: .deb822, summary: "Packages, Sources, Release, .dsc and .changes of Debian.", needsBase: true,
      example: ["Package: a", "Filename: pool/main/a/a_1_all.deb", "SHA256: HEX"]),
    Kind(
      format: .bagit, summary: "A BagIt bag, or the fetch.txt of one.", needsBase: false,
      example: ["https://example.org/a.iso 4194304 data/a.iso"]),
  ]

  package static let recipes = [
    Recipe(
      subject: "conda repodata.json",
      command: [
        "swiftget -i repodata.json --base-url https://example.org/noarch/ --columns",
        "  'url={key},sha256=packages.conda.*.sha256,size=packages.conda.*.size'",
      ]),
    Recipe(
      subject: "Wikimedia dumpstatus.json",
      command: [
        "swiftget -i dumpstatus.json --base-url https://example.org/ --columns",
        "  'url=jobs.*.files.*.url,sha1=jobs.*.files.*.sha1,jobs.*.status=done'",
      ]),
    Recipe(
      subject: "STAC items and searches",
      command: [
        "swiftget -i search.json --columns",
        "  'url=features.assets.*.href,checksum=features.assets.*.file:checksum'",
      ]),
    Recipe(
      subject: "RO-Crate",
      command: [
        "swiftget -i ro-crate-metadata.json --base-url https://example.org/crate/",
        "  --columns 'url=@graph.@id,@graph.@type=File'",
      ]),
    Recipe(
      subject: "Croissant",
      command: [
        "swiftget -i croissant.json --columns",
        "  'url=distribution.contentUrl?,sha256=distribution.sha256'",
      ]),
    Recipe(
      subject: "Dataverse",
      command: [
        "swiftget -i dataset.json --columns",
        "  'out=files.dataFile.filename,md5=files.dataFile.md5' --url-template",
        "  'https://example.org/api/access/datafile/{files.dataFile.id}'",
      ]),
    Recipe(
      subject: "Lock files of npm",
      command: [
        "swiftget -i package-lock.json --columns",
        "  'url=packages.*.resolved?,checksum=packages.*.integrity'",
      ]),
    Recipe(
      subject: "Bottles of Homebrew",
      command: [
        "swiftget -i formula.json --columns",
        "'url=bottle.stable.files.*.url,sha256=bottle.stable.files.*.sha256,out={key}'",
      ]),
    Recipe(
      subject: "Files of a model on Hugging Face",
      command: [
        "swiftget -i tree.json --columns out=path,size=size,sha256=lfs.oid",
        "  --url-template 'https://example.org/gpt2/resolve/main/{+path}'",
      ]),
    Recipe(
      subject: "Tables with blanks between their fields",
      command: [
        "swiftget -i url_checksums.txt --input-format fields",
        "  --columns url=1,size=2,sha256=3",
      ]),
  ]

  static var text: String {
    """
    Usage: swiftget [OPTIONS] -i LIST...

    The format of a list is detected by its content; --input-format FORMAT
    overrides that. A list may be a file, a URL or standard input (-), compressed
    with gzip, xz or zstd, or be in UTF-16. Names without URLs start at
    --base-url URL; --basename drops their directories.

    Formats:

    \(kinds.map(shown).joined(separator: "\n"))
    Any other table or JSON document with --columns, for example:

    \(recipes.map(shown).joined(separator: "\n"))
    Other files are refused, with a command that converts them if there is one.
    man 5 swiftget-manifest explains all of this.

    """
  }

  private static func shown(_ kind: Kind) -> String {
    let name = kind.format.rawValue
    let base = kind.needsBase ? " Needs --base-url." : ""
    let lines = Generator.wrapped(kind.summary + base, width: 66).joined(
      separator: "\n" + String(repeating: " ", count: 13))
    let example = kind.example.map { "      \($0)\n" }.joined()
    return "  \(name)\(String(repeating: " ", count: 11 - name.utf8.count))\(lines)\n\(example)"
  }

  private static func shown(_ recipe: Recipe) -> String {
    "\(recipe.subject):\n" + recipe.command.map { "  \($0)" }.joined(separator: " \\\n") + "\n"
  }
}

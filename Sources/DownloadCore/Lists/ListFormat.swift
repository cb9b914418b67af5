/// The formats of lists, by their `--input-format` names.
package enum ListFormat: String, Hashable, Sendable, CaseIterable {
  /// One file per line. The same grammar as `aria2`; see `Aria2ListParser`.
  case urlList = "urls"
  /// TAB-separated mirrors, with indented `key=value` lines below them.
  case aria2
  /// GNU and BSD checksum lines, with or without a PGP signature around them.
  case checksums
  /// Metalink 4 or 3, an XML document.
  case metalink
  /// A table whose columns are separated by TAB characters.
  case tsv
  /// A table whose columns are separated by commas or semicolons (RFC 4180).
  case csv
  /// A table whose columns are separated by blanks.
  case fields
  /// A JSON document: our own schema, a data package, or any other by `--columns`.
  case json
  /// JSON Lines: an object on each line.
  case jsonl
  /// A registry of pooch: names with hashes.
  case pooch
  /// An index of a Debian archive: `Packages`, `Sources`, `Release`, `.dsc` or `.changes`.
  case deb822
  /// A BagIt bag, or its `fetch.txt` alone.
  case bagit
}

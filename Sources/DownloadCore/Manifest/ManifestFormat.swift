/// The formats of lists, by their `--input-format` names.
package enum ManifestFormat: String, Hashable, Sendable, CaseIterable {
  /// One file per line. The same grammar as `aria2`; see `Aria2ListParser`.
  case urlList = "urls"
  /// TAB-separated mirrors, with indented `key=value` lines below them.
  case aria2
  /// GNU and BSD checksum lines, with or without a PGP signature around them.
  case checksums
  /// Metalink 4 or 3, an XML document.
  case metalink
}

/// Files that have URLs or checksums and are no lists.
///
/// They would be read wrongly or told line by line; their words name a command that makes a list of them.
package enum ForeignText: Hashable, Sendable, CaseIterable {
  /// `url = "…"` of a configuration of curl.
  case curlConfiguration
  /// Command lines of curl, wget or aria2.
  case commands
  /// A script of ESGF, with files in a here document.
  case esgfScript
  /// A script of NASA's Earthdata, with URLs in a here document.
  case earthdataScript
  /// Another script.
  case script
  /// What PowerShell prints for `Get-FileHash`, as a list or a table.
  case fileHash
  /// What `certutil -hashfile` of Windows prints.
  case certutil
  case cargoLock
  case uvLock
  case goSum
  /// TOML that is none of these.
  case toml
}

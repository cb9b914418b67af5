internal import DownloadCore

/// How many connections one file may have, as `-x` and aria2's `-s` say beside each other.
///
/// In aria2 `-x2 -s16` splits a file into 16 parts and asks a server for 2 of them at once. Here each part is a connection,
/// so that the smaller number holds. Of several options of one kind the last one counts.
struct ConnectionLimits {
  /// `--connections` and its equals; nil for `auto`, and where it is not given.
  private var connections: Int?
  /// `--split`.
  private var split: Int?

  /// - Returns: the number that holds; nil for `auto`.
  mutating func take(_ value: OptionArgument) throws(Failure) -> Int? {
    let count = try value.automaticCount(in: 1...256)
    // Of its names only `-s`, `--split` and what abbreviates it begin with this letter.
    if value.spelling.drop(while: { $0 == "-" }).first == "s" { split = count } else { connections = count }
    return [connections, split].compactMap { $0 }.min()
  }
}

internal import CSwiftGetSQLite

/// What SQLite has reported.
package struct DatabaseError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Kind: Hashable, Sendable {
    /// The file is no database, or a part of it cannot be right.
    case damaged
    case outOfSpace
    case readOnly
    case other
  }

  /// An extended result code (sqlite.org/rescode.html).
  package let code: Int32
  /// SQLite's own words.
  package let message: String

  init(_ code: Int32, _ message: String) {
    self.code = code
    self.message = message
  }

  package var kind: Kind {
    switch code & 0xff {
    case SQLITE_CORRUPT, SQLITE_NOTADB: .damaged
    case SQLITE_FULL: .outOfSpace
    case SQLITE_READONLY: .readOnly
    // A file that ends before its last page.
    case SQLITE_IOERR where code == SQLITE_IOERR | 2 << 8: .damaged
    default: .other
    }
  }

  package var description: String { "\(message) (SQLite \(code))" }
}

extension DatabaseError {
  /// Of a post that comes after the store was closed, or is still kept then.
  static let closed = DatabaseError(SQLITE_ABORT, "the store is closed")
}

package import DownloadFiles

/// Why a session's store cannot be used.
package enum StoreError: Error, Hashable, Sendable {
  /// Another process works on the session. Nil if it has not said yet who it is.
  case held(SessionHolder?)
  /// There is no such session.
  case missing
  /// A later version of the program has written the database.
  case laterFormat(Int64)
  /// The database cannot be right. It has this name now.
  case damaged(aside: [UInt8])
  /// Its directory belongs to somebody else, or others may write to it.
  case notOwnDirectory
  /// Too long for SQLite, or for a socket's lock.
  case pathTooLong
  case database(DatabaseError)
  /// The system has no more threads.
  case noThread
  case file(SystemCallError)
}

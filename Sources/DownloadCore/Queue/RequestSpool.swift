/// Keeps requests that wait for room at their hosts where they cost no memory. A run has one, and asks it from one thread.
///
/// After an error nothing in it can be relied on, and the run cannot go on.
package protocol RequestSpool: AnyObject {
  /// Keeps a request.
  ///
  /// - Returns: where it is, for `read`.
  /// - Throws: why it cannot be kept, for example on a full disk.
  func append(_ request: FileRequest) throws(Failure) -> Int64

  /// The request that `append` has kept there. It may be read in any order, and again; the order of appending costs least.
  ///
  /// - Throws: why it cannot be read, also where no request is.
  func read(at place: Int64) throws(Failure) -> FileRequest

  /// Frees the space of all requests. Their places are void.
  func removeAll()
}

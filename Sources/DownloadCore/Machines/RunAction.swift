/// Names one transfer for the whole run.
package struct TransferID: Hashable, Sendable {
  package let number: Int
  package init(number: Int) { self.number = number }
}

/// One HTTP exchange that the driver is to carry out.
package struct TransferOrder: Hashable, Sendable {
  package enum Purpose: Hashable, Sendable {
    /// Its body goes to the target.
    case content
    /// Its body is hashed and thrown away, to confirm one that nothing else proves whole.
    case confirmation
  }

  package var id: TransferID
  /// The item it works for.
  package var item: Int
  /// Index into the request's mirrors.
  package var mirror: Int
  /// Where to ask: the mirror, or where its redirects led.
  package var location: Location
  package var asked: AskedContent
  package var purpose: Purpose
  /// A body is wanted only where the server has another file than this (RFC 9110 section 13).
  package var condition: LocalCopy?
  /// One of several connections of a big file, which must not share a multiplexed one.
  package var isSegment: Bool
}

/// What happens to an answer's body.
package enum BodyDisposition: Hashable, Sendable {
  /// Written from offset `at` on, after `skip` bytes that are there already, up to offset `end` where that is known.
  case store(at: Int64, skip: Int64, end: Int64?)
  /// Hashed with SHA-256 and thrown away.
  case hash
  /// Not wanted, but short: read to its end so that the connection can be kept.
  case drain
  /// Not wanted: end the transfer here.
  case stop
}

/// How a transfer came to its end, as the driver saw it.
package enum TransferEnding: Hashable, Sendable {
  /// The body ended as its framing says. `digest` is the SHA-256 of a confirmation's body.
  case complete(digest: ContentDigest?)
  /// As `complete`, but the body ended with its TLS connection, and that without close_notify: it may have been cut
  /// anywhere.
  case unauthenticatedEnd(digest: ContentDigest?)
  /// The driver ended it: the end that was set is reached, or the disposition was `stop`.
  case stopped
  case failed(TransferFault)
}

/// What makes a complete content a published file.
package struct Conclusion: Hashable, Sendable {
  package var completeLength: Int64
  /// All of them must fit; empty where nothing is known.
  package var expected: [ExpectedDigest]
  /// Unix seconds for the modification time.
  package var lastModified: Int64?

  package init(completeLength: Int64, expected: [ExpectedDigest], lastModified: Int64?) {
    self.completeLength = completeLength
    self.expected = expected
    self.lastModified = lastModified
  }
}

/// What the machines want done; the driver does it after the call has returned, in order.
package enum RunAction: Hashable, Sendable {
  case start(TransferOrder)
  /// The transfer's body is wanted up to here only.
  case setEnd(TransferID, end: Int64)
  /// End the transfer; no event follows.
  case stop(TransferID)
  /// Throw away what is stored of this item: part file, sidecar record, hash state.
  case discardContent(item: Int)
  /// Throw away what the records say of this range: a piece of it is wrong.
  case discardRange(item: Int, Range<Int64>)
  /// Hash a piece that is stored; answered by `pieceVerified`, `pieceMismatched` or `storageFailed`.
  case verify(item: Int, PieceCheck)
  /// The wanted version is known (or better known) now: what a sidecar records, what hashing may begin with.
  case adopt(item: Int, Representation)
  /// Verify, sync, publish; answered by `concluded`, `mismatched` or `storageFailed`.
  case conclude(item: Int, Conclusion)
  /// The existing target is right.
  case keep(item: Int)
  /// Keep the bytes of a failed integrity check out of the way.
  case setAside(item: Int)
  case fail(item: Int, DownloadError)
  /// End the item as a command asks, and remove what is unfinished of it.
  case withdraw(item: Int, Withdrawal)
  case notice(item: Int?, Notice.Level, Remark)
}

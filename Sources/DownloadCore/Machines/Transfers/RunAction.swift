/// Identifies a transfer within a run.
package struct TransferID: CountedID, Sendable {
  package let number: Int
  package init(number: Int) { self.number = number }
}

/// One HTTP exchange that the driver is to carry out.
package struct TransferOrder: Hashable, Sendable {
  package enum Purpose: Hashable, Sendable {
    /// The body is written to the target.
    case content
    /// The body is hashed and discarded. It confirms a body whose end nothing else confirms.
    case confirmation
    /// There is none: the request is a HEAD.
    case head
  }

  package var id: TransferID
  /// The item that the content belongs to.
  package var item: ItemHandle
  /// Index into the request's mirrors, and those that have joined them.
  package var mirror: Int
  /// The URL of the request: that of the mirror, or the target of its redirects.
  package var location: Location
  package var asked: AskedContent
  package var purpose: Purpose
  /// Makes the request conditional (RFC 9110 section 13): the server sends a body only if its file differs.
  package var condition: LocalCopy?
  /// One of several transfers of a large file, which must not share a multiplexed connection.
  package var isSegment: Bool
  /// Only HTTP/1.1 is offered: over HTTP/2 nothing proves the end of a body without a length.
  package var avoidsHTTP2 = false
  /// A request of the file to this mirror broke off, which may be due to HTTP/2, and none has served content since.
  package var isAfterBreak = false
  /// The host is distant and multiplexes its connections: one of them brings only as much in each round trip as its
  /// window allows, so the host's requests are spread over a few.
  package var isSpread = false
}

/// What happens to an answer's body.
package enum BodyDisposition: Hashable, Sendable {
  /// Skip `skip` bytes, then write from offset `at` to offset `end`; nil where the end is unknown.
  case store(at: Int64, skip: Int64, end: Int64?)
  /// Hash with SHA-256 and discard.
  case hash
  /// Discard, but read to the end: the body is short and the connection can be reused.
  case drain
  /// End the transfer without reading the body.
  case stop

  /// Bytes of an unwanted body that are read at most. To read more costs more than a new connection.
  package static let drainLimit = 64 << 10
}

/// How a transfer ended, as reported by the driver.
package enum TransferEnding: Hashable, Sendable {
  /// The body ended as its framing says. `digest` is the SHA-256 of the body of a confirmation.
  case complete(digest: ContentDigest?)
  /// As `complete`, but the body ended with its TLS connection and without close_notify, so it may be truncated.
  case unauthenticatedEnd(digest: ContentDigest?)
  /// The driver ended the transfer because it reached `end` or the disposition was `stop`.
  case stopped
  case failed(TransferFault)
}

/// What a complete content must satisfy before it is published, what was found of it, and the attributes of the file.
package struct Conclusion: Hashable, Sendable {
  package var completeLength: Int64
  /// The content must match all of them. Empty where no digest is known.
  package var expected: [ExpectedDigest]
  /// The modification time in seconds since 1970; nil leaves it unset.
  package var lastModified: Int64?
  /// The digests of the content, once they are computed.
  package internal(set) var computed: [ContentDigest] = []
  /// The strongest of the expected digests that the content was found to have.
  package internal(set) var verified: VerifiedDigest?
}

/// An action for the driver, which performs all actions of an event in order after the machine has returned.
package enum RunAction: Hashable, Sendable {
  case start(TransferOrder)
  /// The body is needed up to this offset. Where that is beyond an earlier end that the body has passed, nothing changes.
  case setEnd(TransferID, end: Int64)
  /// End the transfer. No event follows.
  case stop(TransferID)
  /// Discard the item's stored content: part file, sidecar record and hash state.
  case discardContent(item: ItemHandle)
  /// Remove this range from the records because one of its pieces is wrong.
  case discardRange(item: ItemHandle, Range<Int64>)
  /// Hash a stored piece. Answered by `pieceVerified`, `pieceMismatched` or `storageFailed`.
  case verify(item: ItemHandle, PieceCheck)
  /// Mirrors that an answer names join the item, behind its others.
  case mirrorsJoin(item: ItemHandle, [Location])
  /// The version of the content is known, or more of it is: record it in the sidecar and start hashing.
  case adopt(item: ItemHandle, Representation)
  /// Compute the digests of the whole content. Answered by `hashed` or `storageFailed`. A driver may verify and publish a
  /// small file in one step, which it tells by `handedOver`; that is answered by `concluded`, `mismatched` or
  /// `storageFailed`.
  case conclude(item: ItemHandle, Conclusion)
  /// Have the user's command judge the content. Answered by `judged` or `storageFailed`.
  case judge(item: ItemHandle, Conclusion)
  /// Sync the content and give the file its name. Answered by `concluded` or `storageFailed`.
  case publish(item: ItemHandle, Conclusion)
  /// Keep the existing target.
  case keep(item: ItemHandle)
  /// Rename the content that failed verification, then fail the item.
  case setAside(item: ItemHandle, Failure)
  case fail(item: ItemHandle, Failure)
  case notice(item: ItemHandle?, Notice.Level, Remark)
}

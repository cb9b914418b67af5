/// Why a file of a BagIt bag cannot be understood, or does not fit the bag's other files (RFC 8493).
///
/// Texts are raw bytes of the bag and may hold secrets.
package enum BagProblem: Error, Hashable, Sendable {
  // MARK: bagit.txt

  case byteOrderMark
  /// `BagIt-Version` and `Tag-File-Character-Encoding` are not there in the form of the RFC.
  case malformedDeclaration
  case unknownVersion([UInt8])
  /// An encoding of the tag files that is not UTF-8.
  case unsupportedEncoding([UInt8])

  // MARK: Names

  case notUTF8
  /// A carriage return that is not encoded.
  case bareCarriageReturn
  case invalidName([UInt8], TargetNameError)
  /// A name that other programs expand to a home directory.
  case homeDirectory([UInt8])
  /// A payload manifest or `fetch.txt` names a file that is not below `data`.
  case outsidePayload([UInt8])
  /// A tag manifest names a file below `data`.
  case insidePayload([UInt8])

  // MARK: Manifests

  /// Not of the form `HEX NAME`.
  case notManifestLine
  /// The manifest has listed the name before, with the same digest. The line.
  case repeatedName([UInt8], line: Int)
  /// The manifest has listed the name before, with another digest. The line.
  case contradictoryDigests([UInt8], line: Int)
  /// Another payload manifest does not list the file.
  case missingInManifest([UInt8], manifest: [UInt8])
  /// Another manifest has the same algorithm. Its name.
  case repeatedAlgorithm(manifest: [UInt8])

  // MARK: fetch.txt

  /// Not of the form `URL LENGTH NAME`.
  case notFetchLine
  /// Neither a number of bytes below 2^63 nor `-`.
  case notLength([UInt8])
  /// No payload manifest lists the file.
  case notInManifest([UInt8])
  /// An earlier line has a URL for the file. The line.
  case repeatedURL([UInt8], line: Int)
  /// A payload file that is not there, and for which `fetch.txt` has no URL.
  case missingWithoutURL([UInt8])

  // MARK: bag-info.txt

  /// Not of the form `LABEL: VALUE`.
  case notTagLine
  /// The value of `Payload-Oxum` is not of the form `BYTES.FILES`.
  case malformedOxum
  /// Two different values of `Payload-Oxum`.
  case contradictoryOxum

  // MARK: The bag

  case noPayloadManifest
  /// Every payload manifest has an algorithm that swiftget does not know.
  case noKnownManifest
}

/// The name of a file in a manifest or in `fetch.txt` of a bag (RFC 8493 sections 2.1.3 and 2.2.3).
///
/// The RFC encodes LF, CR and the percent sign as `%0A`, `%0D` and `%25`. Some programs encode no percent signs, so that
/// `%25` may stand for itself. Only the whole bag shows what is meant; see `BagListing`. Until then a name is known by its
/// key, in which line breaks are decoded and percent signs are as they are written.
package struct BagPath: Hashable, Sendable {
  /// Where the file must be.
  package enum Area: Hashable, Sendable, CaseIterable {
    /// Below `data`.
    case payload
    /// Anywhere else.
    case tags
  }

  /// Relative to the bag, without empty and `.` components.
  package let key: [UInt8]
  /// Whether it has a percent sign that the RFC would have encoded.
  package let hasBarePercent: Bool

  package static let payload = Array("data".utf8)
  private static let slash = UInt8(ascii: "/")
  private static let percent = UInt8(ascii: "%")

  /// - Parameter written: the name as the file has it.
  init(_ written: ArraySlice<UInt8>, in area: Area) throws(ListProblem) {
    if written.contains(0x0d) { throw .bag(.bareCarriageReturn) }
    if written.contains(where: { $0 >= 0x80 }), String(validating: written, as: UTF8.self) == nil {
      throw .bag(.notUTF8)
    }
    var hasBarePercent = false
    let decoded = written.contains(Self.percent) ? Self.decoded(written, &hasBarePercent) : Array(written)
    self.hasBarePercent = hasBarePercent
    key = try Self.cleaned(decoded)
    let isPayload = key.starts(with: Self.payload) && key.dropFirst(Self.payload.count).first == Self.slash
    switch area {
    case .payload: if !isPayload { throw .bag(.outsidePayload(key)) }
    case .tags: if isPayload { throw .bag(.insidePayload(key)) }
    }
  }

  /// Decodes line breaks.
  private static func decoded(_ written: ArraySlice<UInt8>, _ hasBarePercent: inout Bool) -> [UInt8] {
    var decoded: [UInt8] = []
    decoded.reserveCapacity(written.count)
    var index = written.startIndex
    while index < written.endIndex {
      guard written[index] == percent else {
        decoded.append(written[index])
        index += 1
        continue
      }
      switch Hexadecimal.number(written[(index + 1)...].prefix(2)) {
      case 0x0a? where written.endIndex - index > 2: decoded.append(0x0a)
      case 0x0d? where written.endIndex - index > 2: decoded.append(0x0d)
      case 0x25?:
        decoded += written[index..<(index + 3)]
      default:
        hasBarePercent = true
        decoded.append(percent)
        index += 1
        continue
      }
      index += 3
    }
    return decoded
  }

  /// Removes empty and `.` components, and refuses names that lead out of the bag.
  private static func cleaned(_ name: [UInt8]) throws(ListProblem) -> [UInt8] {
    if name.first == UInt8(ascii: "~") { throw .bag(.homeDirectory(name)) }
    // Most names are clean.
    if name.withUnsafeBytes(TargetName.isPlain) { return name }
    let components: [[UInt8]]
    do { components = try TargetName.checked(name, controls: .all) } catch {
      throw .bag(.invalidName(name, error))
    }
    return Array(components.joined(separator: CollectionOfOne(slash)))
  }

  /// The key with `%25` decoded, as the RFC reads it.
  static func decodingPercents(_ key: some Collection<UInt8>) -> [UInt8] {
    var decoded: [UInt8] = []
    decoded.reserveCapacity(key.count)
    var rest = Array(key)[...]
    while let byte = rest.first {
      decoded.append(byte)
      rest = rest.dropFirst(rest.starts(with: encodedPercent) ? encodedPercent.count : 1)
    }
    return decoded
  }

  /// The key of the name where percent signs are encoded.
  static func encodingPercents(_ name: some Collection<UInt8>) -> [UInt8] {
    name.reduce(into: []) { key, byte in
      if byte == percent { key += encodedPercent } else { key.append(byte) }
    }
  }

  static let encodedPercent = Array("%25".utf8)
}

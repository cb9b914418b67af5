internal import DownloadCore

/// A request as a session keeps it, in one block of bytes, because there may be 100,000: what a `DownloadRequest` has apart
/// from directory, group, priority and settings, which are in its task's record. The name is that of the target below the
/// record's directory.
struct PackedRequest: Hashable, Sendable {
  private let bytes: [UInt8]
  private let pieces: Boxed<PieceHashes>?

  /// What the first byte says of the others.
  private struct Parts: OptionSet {
    let rawValue: UInt8
    static let size = Parts(rawValue: 1)
    static let key = Parts(rawValue: 2)
    static let user = Parts(rawValue: 4)
    static let bearer = Parts(rawValue: 8)
    static let isNamedByAnswer = Parts(rawValue: 16)
    static let fieldsAndInfo = Parts(rawValue: 32)
    static let isUntrusted = Parts(rawValue: 64)
  }

  /// Of a task that is forgotten.
  static let none = PackedRequest(bytes: [])

  private init(bytes: [UInt8]) { (self.bytes, pieces) = (bytes, nil) }

  /// - Parameters:
  ///   - request: whose checksums are well-formed.
  ///   - name: of the target, relative to the record's directory.
  ///   - isNamedByAnswer: whether an answer may name the file.
  init(_ request: DownloadRequest, name: [UInt8], isNamedByAnswer: Bool) {
    var contents: Parts = isNamedByAnswer ? .isNamedByAnswer : []
    if request.listed.isUntrusted { contents.insert(.isUntrusted) }
    if request.expectedSize != nil { contents.insert(.size) }
    if request.key != nil { contents.insert(.key) }
    if !request.headers.isEmpty || !request.info.isEmpty { contents.insert(.fieldsAndInfo) }
    switch request.credential {
    case .user?: contents.insert(.user)
    case .bearer?: contents.insert(.bearer)
    case nil: break
    }
    var writer = ByteWriter(room: 48 + name.count + request.urls.reduce(0) { $0 + $1.utf8.count + 2 })
    writer.append(contents.rawValue)
    if let size = request.expectedSize { writer.append(number: UInt64(size)) }
    writer.append(number: UInt64(name.count))
    writer.append(bytes: name)
    if let key = request.key { writer.append(key) }
    writer.append(number: UInt64(request.urls.count))
    for url in request.urls { writer.append(url) }
    let digests = request.checksums.compactMap(\.digest)
    writer.append(number: UInt64(digests.count))
    for digest in digests {
      writer.append(UInt8(truncatingIfNeeded: digest.algorithm.storedNumber))
      writer.append(number: UInt64(digest.bytes.count))
      writer.append(bytes: digest.bytes)
    }
    switch request.credential {
    case .user(let user, let password)?:
      writer.append(user)
      writer.append(password)
    case .bearer(let token)?: writer.append(token)
    case nil: break
    }
    if contents.contains(.fieldsAndInfo) {
      writer.append(number: UInt64(request.headers.count))
      for field in request.headers {
        writer.append(field.name)
        writer.append(field.value)
        writer.append(field.isSecret ? 1 : 0)
      }
      writer.append(number: UInt64(request.info.count))
      // In one order, so that equal requests are packed alike.
      for (name, value) in request.info.sorted(by: { $0.key < $1.key }) {
        writer.append(name)
        writer.append(value)
      }
    }
    bytes = writer.bytes
    pieces = request.listed.pieces.map { Boxed($0) }
  }

  // MARK: Reading

  private var contents: Parts { Parts(rawValue: bytes.first ?? 0) }

  /// Calls `body` with what follows the first byte, the size, and the name.
  private func read<Value>(_ body: (_ size: Int64?, _ name: ArraySlice<UInt8>, inout ByteReader) -> Value) -> Value {
    var reader = ByteReader(bytes[...].dropFirst())
    let size = contents.contains(.size) ? Int64(clamping: reader.number()) : nil
    let name = reader.bytes(reader.count())
    return body(size, name, &reader)
  }

  /// Whether an answer may name the file.
  var isNamedByAnswer: Bool { contents.contains(.isNamedByAnswer) }
  var expectedSize: Int64? { read { size, _, _ in size } }
  /// Of the target, relative to the record's directory.
  var name: ArraySlice<UInt8> { read { _, name, _ in name } }
  var key: String? { contents.contains(.key) ? read { _, _, reader in reader.text() } : nil }

  var urls: [String] {
    read { _, _, reader in
      if contents.contains(.key) { _ = reader.text() }
      return (0..<reader.count()).map { _ in reader.text() }
    }
  }

  /// The whole request. Its name is missing, because the target is known.
  var request: DownloadRequest {
    read { size, _, reader in
      var request = DownloadRequest("")
      if contents.contains(.key) { request.key = reader.text() }
      request.urls = (0..<reader.count()).map { _ in reader.text() }
      request.checksums = (0..<reader.count()).compactMap { _ in
        let algorithm = DigestAlgorithm(storedNumber: Int(reader.byte()))
        let digest = Array(reader.bytes(reader.count()))
        return algorithm.flatMap { ContentDigest($0, digest) }.map { FileChecksum($0) }
      }
      request.expectedSize = size
      request.listed.pieces = pieces?.value
      request.listed.isUntrusted = contents.contains(.isUntrusted)
      if contents.contains(.user) {
        let user = reader.text()
        request.credential = .user(user, password: reader.text())
      } else if contents.contains(.bearer) {
        request.credential = .bearer(token: reader.text())
      }
      if contents.contains(.fieldsAndInfo) {
        request.headers = (0..<reader.count()).map { _ in
          let (name, value) = (reader.text(), reader.text())
          return reader.byte() == 1 ? HeaderField(name, secret: value) : HeaderField(name, value)
        }
        for _ in 0..<reader.count() {
          let name = reader.text()
          request.info[name] = reader.text()
        }
      }
      return request
    }
  }
}

extension DigestAlgorithm {
  /// Its place among all, which holds within a process.
  fileprivate var storedNumber: Int { Self.allCases.firstIndex(of: self) ?? 0 }

  fileprivate init?(storedNumber number: Int) {
    guard Self.allCases.indices.contains(number) else { return nil }
    self = Self.allCases[number]
  }
}

/// Writes numbers, and texts behind their lengths. Small numbers take one byte.
private struct ByteWriter {
  private(set) var bytes: [UInt8] = []

  init(room: Int) { bytes.reserveCapacity(room) }

  mutating func append(_ byte: UInt8) { bytes.append(byte) }
  mutating func append(bytes new: [UInt8]) { bytes += new }

  mutating func append(number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  mutating func append(_ text: String) {
    append(number: UInt64(text.utf8.count))
    bytes += text.utf8
  }
}

/// Reads what a `ByteWriter` has written.
private struct ByteReader {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

  mutating func number() -> UInt64 {
    var (number, shift): (UInt64, UInt64) = (0, 0)
    while let byte = rest.popFirst() {
      number |= UInt64(byte & 0x7f) << shift
      if byte < 0x80 { break }
      shift += 7
    }
    return number
  }

  mutating func count() -> Int { Int(clamping: number()) }

  mutating func bytes(_ count: Int) -> ArraySlice<UInt8> {
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  mutating func text() -> String { String(decoding: bytes(count()), as: UTF8.self) }
}

internal import DownloadCore

extension FileRequest {
  /// All of its properties: numbers with the lowest byte first, texts behind their lengths, lists behind their counts. What
  /// may be missing is a list.
  var storedText: [UInt8] {
    var fields = StoredFields()
    _ = try? fields.request(self)
    return fields.written
  }

  /// Reads `storedText`; nil for anything else.
  init?(storedText: [UInt8]) {
    var fields = StoredFields(unread: storedText[...])
    guard let request = try? fields.request(nil), fields.unread == [], !request.mirrors.isEmpty else { return nil }
    self = request
  }
}

/// Each method writes the value that it is given, or reads one where that is what the fields are for, and returns it. So
/// there is one description of a request for both.
private struct StoredFields {
  /// Other bytes stand there than were written. Thrown by reading only.
  struct Damage: Error {}

  /// Nil for writing.
  var unread: ArraySlice<UInt8>?
  private(set) var written: [UInt8] = []

  mutating func request(_ given: FileRequest?) throws -> FileRequest {
    var request = FileRequest(
      task: TaskID(try number(given?.task.number)), mirrors: try list(given?.mirrors) { try $0.mirror($1) },
      target: try target(given?.target), digests: try list(given?.digests) { try $0.digest($1) },
      pieces: try optional(given?.pieces) { try $0.pieces($1) },
      expectedLength: try optional(given?.expectedLength) { try $0.number($1) },
      headers: try list(given?.headers) { try $0.string($1) },
      source: try optional(given?.source) {
        SourceLine(list: try $0.string($1?.list), number: try $0.number($1?.number))
      })
    request.isNamedByAnswer = try flag(given?.isNamedByAnswer)
    request.isNamedByNetwork = try flag(given?.isNamedByNetwork)
    request.hasUnknownDigest = try flag(given?.hasUnknownDigest)
    request.isOutside = try flag(given?.isOutside)
    request.isNamedByUser = try flag(given?.isNamedByUser)
    request.group = GroupID(try number(given?.group.number))
    request.priority = try number(given?.priority)
    return request
  }

  private mutating func mirror(_ given: MirrorURL?) throws -> MirrorURL {
    let location = Location(
      scheme: try name(given?.location.scheme), host: try string(given?.location.host),
      port: try number(given?.location.port), path: try string(given?.location.path),
      query: try optional(given?.location.query) { try $0.string($1) })
    return MirrorURL(location: location, userinfo: try optional(given?.userinfo) { try $0.string($1) })
  }

  private mutating func target(_ given: TargetChoice?) throws -> TargetChoice {
    let (kind, descriptor, names): (UInt8, Int32, [[UInt8]]) =
      switch given {
      case .path(let path): (0, 0, [path])
      case .listed(let components): (1, 0, components)
      case .standardOutput, nil: (2, 0, [])
      case .inherited(let descriptor): (3, descriptor, [])
      case .descriptor(let descriptor): (4, descriptor, [])
      }
    switch (try number(kind), try number(descriptor), try list(names) { try $0.text($1) }) {
    case (0, _, let names) where names.count == 1: return .path(names[0])
    case (1, _, let names): return .listed(names)
    case (2, _, _): return .standardOutput
    case (3, let descriptor, _): return .inherited(descriptor)
    case (4, let descriptor, _): return .descriptor(descriptor)
    default: throw Damage()
    }
  }

  private mutating func digest(_ given: ContentDigest?) throws -> ContentDigest {
    try valid(ContentDigest(try name(given?.algorithm), try text(given?.bytes)))
  }

  private mutating func pieces(_ given: PieceHashes?) throws -> PieceHashes {
    let digests = try list(given?.digests) { try $0.digest($1) }
    return try valid(PieceHashes(length: try number(given?.length), digests: digests))
  }

  private mutating func name<Name: RawRepresentable<String>>(_ given: Name?) throws -> Name {
    try valid(Name(rawValue: try string(given?.rawValue)))
  }

  private mutating func optional<Value>(
    _ given: Value?, _ value: (inout StoredFields, Value?) throws -> Value
  ) throws -> Value? { try list([given].compactMap(\.self), value).first }

  private mutating func list<Element>(
    _ given: [Element]?, _ element: (inout StoredFields, Element?) throws -> Element
  ) throws -> [Element] {
    var list: [Element] = []
    for index in 0..<Int(try number(UInt32(given?.count ?? 0))) {
      list.append(try element(&self, unread == nil ? given?[index] : nil))
    }
    return list
  }

  private mutating func string(_ given: String?) throws -> String {
    String(decoding: try text(given.map { Array($0.utf8) }), as: UTF8.self)
  }

  private mutating func text(_ given: [UInt8]?) throws -> [UInt8] {
    try bytes(given ?? [], count: Int(try number(UInt32(given?.count ?? 0))))
  }

  private mutating func flag(_ given: Bool?) throws -> Bool { try number(given == true ? 1 : 0 as UInt8) != 0 }

  private mutating func number<Number: FixedWidthInteger>(_ given: Number?) throws -> Number {
    Number(in: try bytes((given ?? 0).bytes, count: Number.byteCount)[...], at: 0)
  }

  /// - Parameter count: the number of bytes that are read.
  private mutating func bytes(_ given: [UInt8], count: Int) throws -> [UInt8] {
    guard let left = unread else {
      written += given
      return given
    }
    guard count <= left.count else { throw Damage() }
    unread = left.dropFirst(count)
    return Array(left.prefix(count))
  }
}

private func valid<Value>(_ value: Value?) throws -> Value {
  guard let value else { throw StoredFields.Damage() }
  return value
}

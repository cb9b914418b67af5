package import DownloadCore
internal import DownloadEngine

/// How files are named, such as `{host}/{path}/{name}`: the value of `--output-template`.
package struct OutputTemplate: Hashable, Sendable {
  /// What a name in braces stands for.
  package enum Placeholder: String, CaseIterable, Sendable {
    /// The host of the URL, and the port unless it is the usual one.
    case host
    /// The directories of the URL's path, without slashes at both ends; perhaps empty.
    case path
    /// The last component of the name that the list gives, else that of the URL's path.
    case name
    /// The name up to its last dot. A dot at the beginning or at the end of a name separates nothing.
    case stem
    /// The name behind its last dot; perhaps empty, and then a dot that the template has before it is left out.
    case ext
    /// The MD5 digest of the URL in hexadecimal digits.
    case urlMD5 = "url-md5"
    /// The number of the file in the run, counted from 1.
    case number = "n"
  }

  /// Why a text is not a template.
  package enum Fault: Error, Hashable, Sendable {
    case unpairedBrace
    case unknownField([UInt8])
    /// All files would have the same name.
    case noField
    /// The name is not allowed, whatever the placeholders stand for.
    case unusable(TargetNameError)
  }

  private enum Part: Hashable, Sendable {
    case text([UInt8])
    case placeholder(Placeholder)
    /// The value of a column, by its place in `columns`.
    case column(Int)
  }

  private let parts: [Part]
  /// The columns of tables and values of JSON records that name files.
  package let columns: [ColumnChoice.Column]

  package init(text: [UInt8]) throws(Fault) {
    let braced: BracedText
    do { braced = try BracedText(text) } catch { throw .unpairedBrace }
    var parts: [Part] = []
    var columns: [ColumnChoice.Column] = []
    for part in braced.parts {
      switch part {
      case .text(let text): parts.append(.text(text))
      case .name(let name):
        if let placeholder = Placeholder(rawValue: String(decoding: name, as: UTF8.self)) {
          parts.append(.placeholder(placeholder))
        } else {
          guard let column = ColumnChoice.Column(name[...]) else { throw .unknownField(name) }
          parts.append(.column(columns.firstIndex(of: column) ?? columns.count))
          if !columns.contains(column) { columns.append(column) }
        }
      }
    }
    self.parts = parts
    self.columns = columns
    if placeholders.isEmpty, columns.isEmpty { throw .noField }
    // Errors that come from the template itself are found before there is a file.
    let values = columns.map { _ in [UInt8(ascii: "x")] }
    do {
      _ = try TargetName.checked(Self.joined(parts, values) { _ in [UInt8(ascii: "x")] })
    } catch { throw .unusable(error) }
  }

  /// The placeholders that the template has.
  package var placeholders: Set<Placeholder> {
    Set(parts.compactMap { if case .placeholder(let placeholder) = $0 { placeholder } else { nil } })
  }

  /// Whether a name alone, without a URL, is not enough.
  var needsURL: Bool { !placeholders.isDisjoint(with: [.host, .path, .urlMD5]) }

  /// The path of a file below the directory of `-d`, before `TargetName.checked`.
  ///
  /// - Parameters:
  ///   - name: the last component of the name that the list gives; nil takes that of the URL.
  ///   - location: the first URL of the file.
  ///   - number: the number of the file in the run, counted from 1.
  ///   - values: those of `columns`.
  func path(name: [UInt8]?, location: Location, number: Int, values: [[UInt8]] = []) -> [UInt8] {
    let name = name ?? TargetName.fromURLPath(location.path)
    let path = Self.joined(parts, values) { placeholder in
      switch placeholder {
      case .host: TargetName.directory(for: location.origin)
      case .path:
        Array(
          TargetName.directories(fromURLPath: location.path).joined(separator: CollectionOfOne(UInt8(ascii: "/"))))
      case .name: name
      case .stem: Array(name[..<(Self.separator(of: name) ?? name.endIndex)])
      case .ext: Self.separator(of: name).map { Array(name[($0 + 1)...]) } ?? []
      case .urlMD5: Array((Digests.hexadecimal(.md5, of: Array(location.text.utf8)) ?? "").utf8)
      case .number: Array(String(number).utf8)
      }
    }
    // The template itself does not begin with a slash, but an empty placeholder may stand before one.
    return Array(path.drop { $0 == UInt8(ascii: "/") })
  }

  private static func joined(
    _ parts: [Part], _ values: [[UInt8]], _ value: (Placeholder) -> [UInt8]
  ) -> [UInt8] {
    var path: [UInt8] = []
    var isBehindDot = false
    for part in parts {
      switch part {
      case .text(let text): path += text
      case .column(let index): path += values[index]
      case .placeholder(let placeholder):
        let value = value(placeholder)
        if placeholder == .ext, value.isEmpty, isBehindDot { path.removeLast() }
        path += value
      }
      if case .text(let text) = part { isBehindDot = text.last == UInt8(ascii: ".") } else { isBehindDot = false }
    }
    return path
  }

  /// The offset of the dot between stem and extension.
  private static func separator(of name: [UInt8]) -> Int? {
    guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > 0, dot < name.count - 1 else { return nil }
    return dot
  }
}

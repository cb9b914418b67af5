/// A URL with columns in braces, such as `https://example.org/data/{id}`: the value of `--url-template`.
package struct URLTemplate: Hashable, Sendable {
  package enum Part: Hashable, Sendable {
    case text([UInt8])
    case column(ColumnChoice.Column, Expansion)
  }

  /// What a value becomes in the URL (RFC 6570 sections 3.2.2 and 3.2.3).
  package enum Expansion: Hashable, Sendable {
    /// `{name}`: one segment of a path; a slash is escaped.
    case segment
    /// `{+name}`: a path; slashes stay.
    case path
  }

  /// Why a text is not a template.
  package enum Fault: Error, Hashable, Sendable {
    /// It does not begin with a scheme and `://`.
    case notURL
    /// An opening brace without a closing one, or the reverse.
    case unpairedBrace
    /// Braces without a column between them, or column 0.
    case invalidColumn([UInt8])
    /// All files would have the same URL.
    case noColumn
  }

  package let parts: [Part]

  package init(text: [UInt8]) throws(Fault) {
    guard URLScheme.begins(text[...]) else { throw .notURL }
    let braced: BracedText
    do { braced = try BracedText(text) } catch { throw .unpairedBrace }
    var parts: [Part] = []
    for part in braced.parts {
      switch part {
      case .text(let text): parts.append(.text(text))
      case .name(let name):
        let isPath = name.first == UInt8(ascii: "+")
        guard let column = ColumnChoice.Column(isPath ? name.dropFirst() : name[...]) else {
          throw .invalidColumn(name)
        }
        parts.append(.column(column, isPath ? .path : .segment))
      }
    }
    guard parts.contains(where: { if case .column = $0 { true } else { false } }) else { throw .noColumn }
    self.parts = parts
  }

  /// Appends a value as segments of a path, in which every other character is escaped (RFC 3986 section 3.3).
  ///
  /// - Parameter column: the column's name or number, for the error.
  /// - Throws: where the value is empty, or a segment is `.` or `..`, which stand for another path.
  package static func append(
    _ value: ArraySlice<UInt8>, of column: ColumnChoice.Column, as expansion: Expansion, to url: inout [UInt8]
  ) throws(ListProblem) {
    let slash = UInt8(ascii: "/")
    let segments =
      expansion == .path ? value.split(separator: slash, omittingEmptySubsequences: false) : [value]
    let isUsable = segments.allSatisfy { !$0.elementsEqual(".".utf8) && !$0.elementsEqual("..".utf8) }
    guard !value.isEmpty, isUsable else { throw .table(.unusableTemplateValue(column.text)) }
    for (index, segment) in segments.enumerated() {
      if index > 0 { url.append(slash) }
      PercentEncoding.append(segment: Array(segment), to: &url)
    }
  }
}

extension ColumnChoice.Column {
  /// As it is written in options.
  package var text: [UInt8] {
    switch self {
    case .number(let number): Array(String(number).utf8)
    case .name(let name): name
    case .key: Array("{key}".utf8)
    }
  }
}

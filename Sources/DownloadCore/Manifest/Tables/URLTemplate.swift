/// A URL with columns in braces, such as `https://example.org/data/{id}`: the value of `--url-template`.
package struct URLTemplate: Hashable, Sendable {
  package enum Part: Hashable, Sendable {
    case text([UInt8])
    case column(ColumnChoice.Column)
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
        guard let column = ColumnChoice.Column(name[...]) else { throw .invalidColumn(name) }
        parts.append(.column(column))
      }
    }
    guard parts.contains(where: { if case .column = $0 { true } else { false } }) else { throw .noColumn }
    self.parts = parts
  }

  /// Appends a value as a path segment (RFC 3986 section 3.3); a slash in it is escaped.
  ///
  /// - Parameter column: the column's name or number, for the error.
  /// - Throws: where the value is empty, or `.` or `..`, which stand for another path.
  package static func append(
    _ value: ArraySlice<UInt8>, of column: ColumnChoice.Column, to url: inout [UInt8]
  ) throws(ListProblem) {
    if value.isEmpty || value.elementsEqual(".".utf8) || value.elementsEqual("..".utf8) {
      throw .table(.unusableTemplateValue(column.text))
    }
    PercentEncoding.append(segment: Array(value), to: &url)
  }
}

extension ColumnChoice.Column {
  /// As it is written in options.
  package var text: [UInt8] {
    switch self {
    case .number(let number): Array(String(number).utf8)
    case .name(let name): name
    }
  }
}

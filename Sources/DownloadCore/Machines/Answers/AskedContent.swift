/// The content that a transfer requests.
package enum AskedContent: Hashable, Sendable {
  /// A plain GET without `Range`.
  case whole
  /// `bytes=START-`: the rest, if the length is unknown or irrelevant.
  case from(Int64)
  case range(Range<Int64>)

  package var start: Int64 {
    switch self {
    case .whole: 0
    case .from(let offset): offset
    case .range(let range): range.lowerBound
    }
  }

  /// The `Range` header's value without `bytes=`; nil for a plain GET.
  package var rangeText: String? {
    switch self {
    case .whole: nil
    case .from(let offset): "\(offset)-"
    case .range(let range): "\(range.lowerBound)-\(range.upperBound - 1)"
    }
  }
}

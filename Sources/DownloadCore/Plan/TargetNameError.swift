/// Why a name is not allowed as a target.
package enum TargetNameError: Error, Hashable, Sendable, CaseIterable {
  case empty
  case absolute
  /// It has a `..` component.
  case leavesDirectory
  /// It ends with a slash.
  case isDirectory
  case controlCharacter
  /// A component has more than 255 bytes.
  case tooLong
  /// A component has a suffix of our own files.
  case reservedSuffix
  /// It begins like a URL.
  case isURL
}

/// Control characters that a name may have. NUL is none of them.
package enum ControlCharacters: Sendable {
  case none
  /// LF and CR, of lists that encode them.
  case lineBreaks
  case all

  /// - Parameter byte: a control character.
  func contain(_ byte: UInt8) -> Bool {
    switch self {
    case .none: false
    case .lineBreaks: byte == 0x0a || byte == 0x0d
    case .all: byte != 0
    }
  }
}

import DownloadCore

/// File names drawn from a generator, with the bytes that formats treat in their own way.
package struct RandomNames: Sendable {
  /// Whether names are UTF-8.
  package var isText: Bool
  /// Whether names may have control characters.
  package var hasControls: Bool
  /// The length of the long components, which are rare. Bytes.
  package var longestComponent = 250

  private static let parts = [
    "a", "b", "/", "\\", " ", "  ", "%", "%0A", "&", "<", ">", "\"", "'", "*", "(", ") = ", "#", "?", ":", "ä", "日",
    "-", ".x", "sha256", "{", "[", ";", ",", "\u{7f}",
  ]

  package init(isText: Bool, hasControls: Bool) {
    self.isText = isText
    self.hasControls = hasControls
  }

  /// A relative path of raw bytes that targets may have; nil where the draw is none.
  package func next(_ generator: inout some RandomNumberGenerator) -> [UInt8]? {
    var name: [UInt8] = []
    for _ in 0..<Int.random(in: 1...8, using: &generator) {
      name += Array(Self.parts.randomElement(using: &generator)!.utf8)
      if hasControls, Int.random(in: 0..<6, using: &generator) == 0 {
        name.append([0x0a, 0x0d, 0x09, 0x01, 0x1b].randomElement(using: &generator)!)
      }
      if !isText, Int.random(in: 0..<6, using: &generator) == 0 {
        name.append(UInt8.random(in: 0x80...0xff, using: &generator))
      }
    }
    if !hasControls { name.removeAll { $0 == 0x7f } }
    var components = name.split(separator: UInt8(ascii: "/")).filter { $0 != [0x2e] }
    if Int.random(in: 0..<8, using: &generator) == 0, let last = components.popLast() {
      let filling = [UInt8](repeating: UInt8(ascii: "-"), count: max(0, longestComponent - last.count))
      components.append(filling + last)
    }
    let path = Array(components.joined(separator: [UInt8(ascii: "/")]))
    let checked = try? TargetName.checked(path, controls: .all)
    return checked.map { Array($0.joined(separator: [UInt8(ascii: "/")])) } == path ? path : nil
  }
}

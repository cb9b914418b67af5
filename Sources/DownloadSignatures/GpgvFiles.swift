/// Files that gpgv reads, by their descriptors. They are regular files; their offsets do not matter.
package struct GpgvFiles {
  /// The signed text, or the text with its signature.
  package let list: Int32
  /// The detached signature.
  package let signature: Int32?
  package let keyrings: [Int32]

  package init(list: Int32, signature: Int32?, keyrings: [Int32]) {
    self.list = list
    self.signature = signature
    self.keyrings = keyrings
  }
}

import DownloadCore

/// A resource of a Frictionless Data Package (`datapackage.json`): `path`, `hash` and `bytes`. Other keys say nothing
/// about the file.
enum DataPackage {
  /// - Returns: nil for a resource whose data stand in the package itself.
  static func entry(
    _ resource: JSONValue, lineNumber: Int, _ rules: ColumnRules
  ) throws(ListProblem) -> ListEntry? {
    guard resource.isObject else { throw .json(.wrongType(key: nil, expected: .object)) }
    let key = Array("path".utf8)
    guard let path = resource[key[...]] else {
      if resource["data"] != nil { return nil }
      throw .json(.missingKey(key))
    }
    if path.elements != nil { throw .json(.resourceInParts) }
    let text = try FileObject.text(path, key)
    var entry = ListEntry(lineNumber: lineNumber)
    if text.firstRange(of: Array("://".utf8)) != nil {
      try entry.addURL(text[...], rules)
    } else {
      entry.name = text
    }
    if let bytes = resource["bytes"], !bytes.isNull { entry.size = try FileObject.size(bytes, Array("bytes".utf8)) }
    if let hash = resource["hash"], !hash.isNull {
      let text = try FileObject.text(hash, Array("hash".utf8))
      if text.contains(UInt8(ascii: ":")) || ContentDigest(stated: text[...]) != nil {
        try entry.addNamedDigest(text[...])
      } else {
        try entry.addDigest(text[...], .md5)
      }
    }
    return entry
  }
}

// How files that are no lists are known by what they begin with.

extension ForeignText {
  /// - Parameter beginning: of the text.
  package init?(beginning: some Collection<UInt8>) {
    let bytes = ListBeginning.bytes(of: beginning)
    let lines = bytes.split { $0 == 0x0a || $0 == 0x0d }
    let content = lines.lazy.map(\.trimmed).filter { !$0.isEmpty && $0.first != UInt8(ascii: "#") }
    guard let first = content.first else { return nil }
    if lines[0].starts(with: "#!".utf8) {
      // A list may name the program that reads it.
      if URLScheme.begins(first) || ChecksumLine.isOne(first) { return nil }
      self = Self.script(lines)
    } else if let kind = Self.hashes(first, content.dropFirst().first) ?? Self.toml(first, content.map(\.self)) {
      self = kind
    } else if Self.isCommand(first) {
      self = .commands
    } else if content.contains(where: Self.isCurlURL), Self.isCurlOption(first) {
      self = .curlConfiguration
    } else {
      return nil
    }
  }

  private static func script(_ lines: [ArraySlice<UInt8>]) -> ForeignText {
    for line in lines {
      if line.contains("EOF--dataset.file.url.".utf8) { return .esgfScript }
      if line.contains("EDSCEOF".utf8) || line.contains("urs.earthdata.nasa.gov".utf8) { return .earthdataScript }
    }
    return lines.contains { isCommand($0.trimmed) } ? .commands : .script
  }

  private static func isCommand(_ line: ArraySlice<UInt8>) -> Bool {
    let words = line.split(maxSplits: 1, whereSeparator: \.isSpace)
    guard words.count == 2, ["curl", "wget", "aria2c"].contains(String(decoding: words[0], as: UTF8.self)) else {
      return false
    }
    return words[1].contains("://".utf8) || words[1].first == UInt8(ascii: "-")
  }

  // MARK: curl

  /// The name and the value of a line of a configuration of curl.
  private static func curlOption(_ line: ArraySlice<UInt8>) -> (name: ArraySlice<UInt8>, value: ArraySlice<UInt8>) {
    let name = line.drop { $0 == UInt8(ascii: "-") }.prefix { $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "-") }
    let value = line[name.endIndex...].drop { $0.isSpace || $0 == UInt8(ascii: "=") }
    return (name, value.first == UInt8(ascii: "\"") ? value.dropFirst() : value)
  }

  private static func isCurlURL(_ line: ArraySlice<UInt8>) -> Bool {
    let (name, value) = curlOption(line)
    return name.elementsEqual("url".utf8) && URLScheme.begins(value)
  }

  private static func isCurlOption(_ line: ArraySlice<UInt8>) -> Bool {
    if isCurlURL(line) { return true }
    let name = String(decoding: curlOption(line).name, as: UTF8.self)
    return ForeignTable.shared.options.contains { $0.tool == .curl && $0.long == name }
  }

  // MARK: Checksums of Windows

  private static func hashes(_ first: ArraySlice<UInt8>, _ second: ArraySlice<UInt8>?) -> ForeignText? {
    let words = first.split(whereSeparator: \.isSpace)
    if words[0].elementsEqual("Algorithm".utf8) {
      let isList = words.count == 3 && words[1].elementsEqual(":".utf8)
      let isTable = words.count == 3 && words[1].elementsEqual("Hash".utf8) && words[2].elementsEqual("Path".utf8)
      return isList || isTable ? .fileHash : nil
    }
    let isHeading = first.last == UInt8(ascii: ":") && first.contains(" hash of ".utf8)
    let digits = (second ?? []).filter { !$0.isSpace }
    return isHeading && ChecksumLine.isBare(digits[...]) ? .certutil : nil
  }

  // MARK: Lock files

  private static func toml(_ first: ArraySlice<UInt8>, _ lines: [ArraySlice<UInt8>]) -> ForeignText? {
    let words = first.split(whereSeparator: \.isSpace)
    if words.count == 3, words[2].starts(with: "h1:".utf8), words[1].first == UInt8(ascii: "v") { return .goSum }
    let isValue = words.count >= 3 && words[1].elementsEqual("=".utf8)
    guard isSection(first) || isValue, lines.contains(where: isSection) else { return nil }
    for line in lines {
      if line.starts(with: "source = \"registry+".utf8) { return .cargoLock }
      if line.starts(with: "sdist = { url = ".utf8) || line.elementsEqual("wheels = [".utf8) { return .uvLock }
    }
    return .toml
  }

  /// `[name]` or `[[name]]`.
  private static func isSection(_ line: ArraySlice<UInt8>) -> Bool {
    let name = line.drop { $0 == UInt8(ascii: "[") }
    return name.count < line.count && name.first?.isLetter == true && name.last == UInt8(ascii: "]")
  }
}

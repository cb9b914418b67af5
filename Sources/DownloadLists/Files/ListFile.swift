internal import DownloadCore
internal import DownloadFiles
internal import DownloadSignatures
internal import DownloadWords
internal import Glibc

/// Reads a list in blocks, and can rewind: a list is read twice and never held in memory.
///
/// The second pass must read the same bytes as the first, or it would return unchecked requests or miss some. Each block
/// is returned only after its hash was compared with that of the first pass.
final class ListFile {
  private let file: OpenFile
  /// The list's name as messages show it.
  let shownName: String
  /// The signature that was verified; nil where none is needed.
  let signature: ListSignature?
  let trust: ListTrust
  /// The offset of the list in the file, which may begin with the list's signature.
  private let start: Int
  private let block: UnsafeMutableRawBufferPointer
  /// Bytes read since the start of the list.
  private var offset = 0
  private var blockIndex = 0
  /// 8 bytes per 256 KiB of the list.
  private var hashes: [Int] = []

  private static let blockByteCount = 256 << 10

  /// - Parameters:
  ///   - path: `-` is standard input. What cannot be read twice is copied to an unnamed file first.
  ///   - inputs: note the file.
  ///   - verifier: verifies a private copy, which is the list then; nil where lists need no signature.
  package convenience init(
    path: [UInt8], notedIn inputs: DecidingInputs, verifier: ListVerifier? = nil,
    _ patience: ListPatience = ListPatience()
  ) throws(Failure) {
    let isStandardInput = path == [UInt8(ascii: "-")]
    let name = isStandardInput ? "from standard input" : Diagnostic.escaped(Redaction.name(path))
    if isStandardInput { inputs.noteOther() } else { inputs.note(file: path) }
    let opened = try Self.opened(path, name)
    let trust = ListTrust(ofDescriptor: opened.descriptor)
    guard let verifier else {
      self.init(
        opened.isRegularAtStart ? opened : try opened.unnamedCopy(name, patience), trust, name: name)
      return
    }
    let copy = try opened.unnamedCopy(name, mostBytes: ListVerifier.mostBytes, patience)
    let neighbors =
      isStandardInput ? [] : verifier.endings.map { SignatureFile.path(path + Array($0.utf8)) }
    self.init(try verifier.verify(copy, beside: neighbors, name), trust, name: name)
  }

  /// A list that is in an unnamed file.
  ///
  /// - Parameters:
  ///   - name: as messages show it.
  ///   - neighbors: what may be its signature.
  ///   - verifier: nil where lists need no signature.
  convenience init(
    unnamed file: OpenFile, _ trust: ListTrust, name: String, beside neighbors: [SignatureFile], verifier: ListVerifier?
  ) throws(Failure) {
    if let verifier {
      self.init(try verifier.verify(file, beside: neighbors, name), trust, name: name)
    } else {
      self.init(file, trust, name: name)
    }
  }

  private convenience init(_ verified: ListVerifier.VerifiedList, _ trust: ListTrust, name: String) {
    self.init(verified.file, trust, start: verified.start, signature: verified.signature, name: name)
  }

  private init(_ file: OpenFile, _ trust: ListTrust, start: Int = 0, signature: ListSignature? = nil, name: String) {
    self.file = file
    self.start = start
    self.signature = signature
    self.trust = trust
    shownName = name
    block = .allocate(byteCount: Self.blockByteCount, alignment: 1)
  }

  deinit { block.deallocate() }

  /// Does not wait for the writer of a pipe.
  private static func opened(_ path: [UInt8], _ shownName: String) throws(Failure) -> OpenFile {
    if path == [UInt8(ascii: "-")] { return OpenFile(STDIN_FILENO, closes: false) }
    let opened = path.withCString { open($0, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK) }
    guard opened >= 0 else {
      throw Failure(
        .usage, "cannot open the list \(NamedFiles.shown(path)): \(SystemMessages.reason(errno))",
        hint: "check the name; - is standard input")
    }
    let file = OpenFile(opened)
    guard stat(of: opened)?.type != S_IFDIR else {
      throw Failure(
        .usage, "the list \(shownName) is a directory",
        hint: "a directory is a list only if it is a BagIt bag, with a file bagit.txt")
    }
    return file
  }

  /// Starts over at the first block.
  func rewind() {
    offset = 0
    blockIndex = 0
  }

  /// Returns the first bytes, to detect the format. Call it before `nextBlock`; it rewinds.
  ///
  /// - Throws: where the list cannot be read.
  func beginning(byteCount: Int) throws(Failure) -> [UInt8] {
    defer { rewind() }
    return Array((try nextBlock() ?? UnsafeRawBufferPointer(start: nil, count: 0)).prefix(byteCount))
  }

  /// Returns the next bytes of the list, valid until the next call; nil at the end of the list.
  ///
  /// - Throws: where the list cannot be read or has changed since the first pass.
  func nextBlock() throws(Failure) -> UnsafeRawBufferPointer? {
    let filled: Int
    do { filled = try SystemCalls.preadAll(file.descriptor, into: block, at: Int64(start + offset)) } catch {
      throw Failure(.localIO, "cannot read the list \(shownName): \(SystemMessages.reason(error.errno))")
    }
    offset += filled
    let bytes = UnsafeRawBufferPointer(rebasing: block[..<filled])
    try compare(bytes)
    return filled == 0 ? nil : bytes
  }

  private func compare(_ bytes: UnsafeRawBufferPointer) throws(Failure) {
    var hasher = Hasher()
    hasher.combine(bytes: bytes)
    let hash = hasher.finalize()
    if blockIndex == hashes.count { hashes.append(hash) }
    guard hashes[blockIndex] == hash else {
      throw Failure(
        .localIO, "the list \(shownName) changed while swiftget was running",
        hint: "do not edit the list while swiftget runs; run the same command again")
    }
    blockIndex += 1
  }
}

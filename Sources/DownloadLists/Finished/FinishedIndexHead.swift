/// The beginning of an index of finished files: `swiftget index 2`, three little-endian numbers of 8 bytes, and the inputs
/// of the run. The numbers are the stamp, the number of the records, and the bytes of the inputs.
///
/// The first form, `swiftget index 1`, ends behind the second number. Its stamp did not stand for all that decides.
struct FinishedIndexHead: Equatable {
  /// What the run that wrote the index has in common with its repetitions, if it found or made all files of its list.
  let run: FinishedRun?
  /// The number of records.
  let count: UInt64

  /// A longer head is not read.
  static let mostBytes = 1 << 20
  private static let signatureByteCount = 16
  private static let signatures = ["swiftget index 1", "swiftget index 2"].map { Array($0.utf8) }

  var bytes: [UInt8] {
    let inputs = run?.inputs ?? []
    return Self.signatures[1] + (run?.stamp ?? 0).bytes + count.bytes + UInt64(inputs.count).bytes + inputs
  }

  /// The head at the beginning of these bytes, and its length; nil for any other form.
  static func read(_ bytes: [UInt8]) -> (FinishedIndexHead, byteCount: Int)? {
    guard let form = signatures.firstIndex(of: Array(bytes.prefix(signatureByteCount))) else { return nil }
    let start = form == 0 ? 32 : 40
    guard bytes.count >= start else { return nil }
    func number(at offset: Int) -> UInt64 { UInt64(in: bytes[...], at: offset) }
    let count = number(at: 24)
    guard form == 1 else { return (FinishedIndexHead(run: nil, count: count), start) }
    guard let end = Int(exactly: number(at: 32)).map({ start.addingReportingOverflow($0) }), !end.overflow,
      end.partialValue <= bytes.count
    else { return nil }
    let stamp = number(at: 16)
    let run = stamp == 0 ? nil : FinishedRun(stamp: stamp, inputs: Array(bytes[start..<end.partialValue]))
    return (FinishedIndexHead(run: run, count: count), end.partialValue)
  }
}

/// A run that left all of its files, as far as its repetitions have to know.
package struct FinishedRun: Hashable, Sendable {
  /// Stands for the command and for the states of its inputs. Not 0.
  let stamp: UInt64
  /// What decides about the files, besides the command. The index stores it and does not look into it.
  package let inputs: [UInt8]

  package init(stamp: UInt64, inputs: [UInt8]) {
    (self.stamp, self.inputs) = (max(1, stamp), inputs)
  }
}

import DownloadCompression
@testable import DownloadCore
@testable import DownloadSignatures
import TestSupport

extension FuzzTarget {
  /// More content than this is not looked at. Bytes.
  private static let most = 1 << 20

  /// What comes out, and the error at the end.
  private static func content(
    _ input: FuzzInput, _ format: CompressionFormat, isWhole: Bool, room: Int
  ) -> (content: [UInt8], error: DecompressionError?) {
    var content: [UInt8] = []
    var failure: DecompressionError?
    do throws(DecompressionError) {
      let decompressor = try Decompressor(format)
      let output = UnsafeMutableRawBufferPointer.allocate(byteCount: room, alignment: 1)
      defer { output.deallocate() }
      func take(_ part: UnsafeRawBufferPointer) {
        var part = part
        do throws(DecompressionError) {
          while failure == nil, content.count < most {
            let count = try decompressor.decompress(&part, into: output)
            content += output[..<count]
            if count < output.count && part.isEmpty { return }
          }
        } catch {
          failure = error
        }
      }
      if isWhole { input.text.withUnsafeBytes(take) } else { input.forEachPart(take) }
      if failure == nil, content.count < most { try decompressor.end() }
    } catch {
      failure = error
    }
    return (content, failure)
  }

  private static func compression(_ compressor: Compressor, _ format: CompressionFormat) -> FuzzTarget {
    let texts = ["", "https://example.org/a\n", String(repeating: "17 x\n", count: 200)]
    let samples = texts.map { compressor.compressed($0) }
    return FuzzTarget(name: compressor.rawValue, samples: samples + [samples.flatMap { $0 }]) { input in
      // Nothing else is given to a decompressor.
      guard CompressionFormat(beginning: input.text) == format else { return }
      let whole = content(input, format, isWhole: true, room: 4096)
      let parts = content(input, format, isWhole: false, room: 1 + input.choice)
      guard whole.content.count < most, parts.content.count < most else { return }
      // Which error it is depends on the parts in libzstd.
      require((whole.error == nil) == (parts.error == nil), "parts change whether there is an error")
      require(whole.error != nil || whole.content == parts.content, "parts change the content")
    }
  }

  static var binary: [FuzzTarget] {
    let signatures = [
      SignatureSamples.Minisign.signature, SignatureSamples.Minisign.legacySignature,
      SignatureSamples.Signify.signature,
      SignatureSamples.Signify.signedList,
    ]
    let keys = [
      SignatureSamples.Minisign.key, SignatureSamples.Signify.key, SignatureSamples.Minisign.keyLine,
      OpenPGPSamples.key,
    ]
    return [
      compression(.gzip, .gzip), compression(.xz, .xz), compression(.zstd, .zstd),
      FuzzTarget(name: "signatures", choiceCount: 2, samples: signatures.map { Array($0.utf8) }) { input in
        let needsComment = input.choice & 1 != 0
        if let signature = try? Ed25519Signature(detached: input.text, needsTrustedComment: needsComment) {
          require(!needsComment || signature.trustedComment != nil, "a signature without its comment")
          require(!signature.isOfDigest || signature.trustedComment != nil, "a signature without its comment")
          require(signature.signature.count == 64, "a signature of another length")
        }
        if let (_, count) = try? Ed25519Signature.embedded(in: input.text) {
          require(0 < count && count <= input.text.count, "a text behind the end")
        }
        _ = SignatureForm(input.text)
      },
      FuzzTarget(name: "keys", samples: keys.map { Array($0.utf8) }) { input in
        _ = try? VerificationKey(file: input.text)
      },
      FuzzTarget(
        name: "gpgv-status",
        samples: [
          Array(
            "[GNUPG:] NEWSIG\n[GNUPG:] GOODSIG CE45018A75DC526E one <one@example.org>\n[GNUPG:] VALIDSIG \(OpenPGPSamples.fingerprint) 2024-01-01 1704067200 0 4 0 22 10 00 \(OpenPGPSamples.fingerprint)\n[GNUPG:] ERRSIG CE45018A75DC526E 22 10 00 1 9 -\n"
              .utf8)
        ]
      ) { input in
        let status = GpgvStatus(lines: input.text, exitStatus: input.choice == 0 ? 0 : Int32(input.choice))
        if (try? status.signer(isDetached: input.choice & 1 != 0)) != nil {
          require(input.choice == 0, "a signature although gpgv failed")
        }
      },
      FuzzTarget(name: "sidecar", samples: [sidecar]) { input in
        // A checksum holds off mutation; the text behind it is mutated alone.
        _ = SidecarReading(input.text)
        guard let record = SidecarCoding.decode(input.text[...]) else { return }
        let end = record.completeLength ?? .max
        require(
          record.written.ranges.allSatisfy { $0.lowerBound >= 0 && $0.upperBound <= end }, "ranges behind the end")
        require(record.synced.ranges.allSatisfy(record.written.contains), "synced, and not written")
        let text = SidecarCoding.encode(record, capacity: SidecarSlot.capacity)
        let again = SidecarCoding.decode(text[...])
        require(
          again.map { SidecarCoding.encode($0, capacity: SidecarSlot.capacity) } == text, "encoding is not stable")
      },
    ]
  }

  private static var sidecar: [UInt8] {
    var record = SidecarRecord(
      target: Array("na me\n%".utf8), url: "https://h/a b", urlHash: "0123456789abcdef", bootID: "boot")
    record.completeLength = 1000
    record.written.insert(0..<400)
    record.synced.insert(0..<300)
    record.sequence = 3
    return SidecarCoding.encode(record, capacity: SidecarSlot.capacity)
  }
}

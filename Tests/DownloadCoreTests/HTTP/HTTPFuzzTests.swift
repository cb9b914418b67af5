import TestSupport
import Testing

@testable import DownloadCore

/// Parsers never trap on any input, and their results keep the documented bounds.
@Suite struct `HTTP parsers with random input` {
  static let alphabet = Array("\"W/=:;,-*. 0189bytesGMT\r\n\t\0".utf8)

  @Test func `a content range is never inverted`() {
    let samples = ["bytes 0-499/1234", "bytes 500-999/*", "bytes */1234", "bytes 0-9223372036854775806/*"]
    let isFruitful = Fuzz.run { generator, seed in
      let bytes = generator.mutate(Array(samples.randomElement(using: &generator)!.utf8), alphabet: Self.alphabet)
      guard let range = ContentRange(parsing: bytes) else { return false }
      if case .satisfied(let span, let length) = range {
        #expect(span.lowerBound >= 0 && !span.isEmpty && span.upperBound <= length ?? .max, "seed \(seed)")
      }
      return true
    }
    #expect(isFruitful)
  }

  @Test func `an accepted tag is written unchanged`() {
    let samples = ["\"33a64df5\"", "W/\"0815\"", "\"a b\"", "\"\u{e9}\""]
    let isFruitful = Fuzz.run { generator, seed in
      let bytes = generator.mutate(Array(samples.randomElement(using: &generator)!.utf8), alphabet: Self.alphabet)
      guard let tag = EntityTag(parsing: bytes) else { return false }
      #expect(EntityTag(parsing: tag.bytes) == tag, "seed \(seed)")
      return true
    }
    #expect(isFruitful)
  }

  @Test func `an accepted date is parsed back from its written form`() {
    let samples = ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"]
    let isFruitful = Fuzz.run { generator, seed in
      let bytes = generator.mutate(Array(samples.randomElement(using: &generator)!.utf8), alphabet: Self.alphabet)
      if let date = HTTPDate.parse(bytes), date <= 253_402_300_799 {
        #expect(HTTPDate.parse(HTTPDate.format(date).utf8) == date, "seed \(seed)")
      }
      if let wait = RetryAfter.parse(bytes, dateNow: Int64.random(in: .min ... .max, using: &generator)) {
        #expect(wait >= .zero && wait <= RetryAfter.maximum, "seed \(seed)")
      }
      let date = Int64.random(in: -62_135_596_800...253_402_300_799, using: &generator)
      #expect(HTTPDate.parse(HTTPDate.format(date).utf8) == date, "seed \(seed)")
      return HTTPDate.parse(bytes) != nil
    }
    #expect(isFruitful)
  }

  @Test func `a Retry-After delay is never negative and never above the maximum`() {
    let samples = ["120", "1.5", "0", "9223372036854775807", "Sun, 06 Nov 1994 08:49:37 GMT"]
    let isFruitful = Fuzz.run { generator, seed in
      let bytes = generator.mutate(Array(samples.randomElement(using: &generator)!.utf8), alphabet: Self.alphabet)
      // Mostly close to the sample's date, so that dates before and after it occur.
      let now =
        Int64.random(in: 0..<8, using: &generator) == 0
        ? Int64.random(in: .min ... .max, using: &generator)
        : Int64.random(in: 784_111_000..<784_112_000, using: &generator)
      guard let wait = RetryAfter.parse(bytes, dateNow: now) else { return false }
      #expect(wait >= .zero && wait <= RetryAfter.maximum, "seed \(seed)")
      if let date = HTTPDate.parse(bytes), date <= now { #expect(wait == .zero, "seed \(seed)") }
      return true
    }
    #expect(isFruitful)
  }

  @Test func `digests have the length of their algorithm`() {
    let samples = [
      "sha-256=:\(`Digest fields`.sha256):, sha-512=:\(`Digest fields`.sha512):;a=\"b,c\"",
      "SHA-256=\(`Digest fields`.sha256),md5=1B2M2Y8AsgTpgAmY7PhCfg==", "1B2M2Y8AsgTpgAmY7PhCfg==",
    ]
    let isFruitful = Fuzz.run { generator, seed in
      let bytes = generator.mutate(Array(samples.randomElement(using: &generator)!.utf8), alphabet: Self.alphabet)
      var digests = DigestFields.representationDigest(bytes) + DigestFields.instanceDigest(bytes)
      if let digest = DigestFields.contentMD5(bytes) { digests.append(digest) }
      #expect(digests.allSatisfy { $0.bytes.count == $0.algorithm.byteCount }, "seed \(seed)")
      return !digests.isEmpty
    }
    #expect(isFruitful)
  }

  @Test func `a head holds valid values only`() {
    let sample = Array(
      """
      HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 206 Partial Content\r\nContent-Length: 500\r
      Content-Range: bytes 0-499/1234\r\nETag: W/"a"\r\nLast-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r
      Date: Sun Nov  6 08:49:37 1994\r\nTransfer-Encoding: gzip, chunked\r\nConnection: close\r
      Content-Type: text/html; x=y\r\nContent-Encoding: br\r\nAccept-Ranges: bytes\r\nRetry-After: 5\r
      Location: /x\r\nWWW-Authenticate: Basic realm="a", Digest nonce="b"\r\nDigest: md5=1B2M2Y8AsgTpgAmY7PhCfg==\r\n\r\n
      """.utf8)
    let isFruitful = Fuzz.run { generator, seed in
      var parser = ResponseHeadParser()
      let bytes = generator.mutate(sample, alphabet: Self.alphabet)
      for line in `Response head parser`.lines(bytes) {
        switch line.withUnsafeBytes({ parser.line($0) }) {
        case .more: continue
        case .malformed, .tooLarge: return false
        case .complete(let head):
          #expect((200...999).contains(head.status), "seed \(seed)")
          #expect(head.contentLength ?? 0 >= 0, "seed \(seed)")
          #expect(!(head.hasInvalidContentLength && head.contentLength != nil), "seed \(seed)")
          #expect(!(head.hasMalformedContentRange && head.contentRange != nil), "seed \(seed)")
          #expect(!(head.isChunked && head.contentLength != nil), "seed \(seed)")
          let texts = [head.contentType, head.contentEncoding].compactMap { $0 } + head.wwwAuthenticate
          #expect(texts.allSatisfy { $0.utf8.allSatisfy { (0x20...0x7e).contains($0) } }, "seed \(seed)")
          #expect(head.location?.contains(0) != true, "seed \(seed)")
          return true
        }
      }
      return false
    }
    #expect(isFruitful)
  }
}

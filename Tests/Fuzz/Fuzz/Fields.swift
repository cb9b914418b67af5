import DownloadCore
import DownloadTransport

extension FuzzTarget {
  private static func field(_ name: String, _ samples: [String], _ run: @escaping ([UInt8]) -> Void) -> FuzzTarget {
    FuzzTarget(name: name, samples: samples.map { Array($0.utf8) }) { run($0.text) }
  }

  static var fields: [FuzzTarget] {
    [
      field(
        "content-disposition",
        [
          "attachment; filename=\"a\\\"b\"; filename*=UTF-8''%e2%82%ac%20x", "inline;filename=../x",
          "attachment; filename*=iso-8859-1'en'%A3",
        ]
      ) { value in
        guard let name = ContentDisposition.fileName(value), let safe = TargetName.fromServer(name) else { return }
        requireInside(safe)
        require(!safe.contains(0x2f) && safe.first != 0x2e && !safe.contains { $0 < 0x20 || $0 == 0x7f }, "\(safe)")
      },
      field("content-range", ["bytes 0-499/1234", "bytes 500-999/*", "bytes */1234"]) { value in
        guard let range = ContentRange(parsing: value) else { return }
        if case .satisfied(let span, let length) = range {
          require(span.lowerBound >= 0 && !span.isEmpty && span.upperBound <= length ?? .max, "\(range)")
        }
      },
      field(
        "dates", ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "120"]
      ) {
        value in
        if let date = HTTPDate.parse(value), date <= 253_402_300_799 {
          require(HTTPDate.parse(HTTPDate.format(date).utf8) == date, "\(date)")
        }
        for now in [Int64.min, 0, 784_111_777, .max] {
          guard let wait = RetryAfter.parse(value, dateNow: now) else { continue }
          require(wait >= .zero && wait <= RetryAfter.maximum, "\(wait)")
        }
      },
      field("entity-tags", ["\"33a64df5\"", "W/\"0815\"", "\"\u{e9}\""]) { value in
        if let tag = EntityTag(parsing: value) { require(EntityTag(parsing: tag.bytes) == tag, "\(tag)") }
      },
      field(
        "digest-fields",
        [
          "sha-256=:AAECAwQFBgcICQoLDA0ODwABAgMEBQYHCAkKCwwNDg8=:, md5=:1B2M2Y8AsgTpgAmY7PhCfg==:;a=\"b,c\"",
          "md5=1B2M2Y8AsgTpgAmY7PhCfg==",
        ]
      ) { value in
        var digests = DigestFields.representationDigest(value) + DigestFields.instanceDigest(value)
        if let digest = DigestFields.contentMD5(value) { digests.append(digest) }
        require(digests.allSatisfy { $0.bytes.count == $0.algorithm.byteCount }, "\(digests)")
      },
      field(
        "heads",
        [
          "HTTP/1.1 206 Partial Content\r\nContent-Length: 500\r\nContent-Range: bytes 0-499/1234\r\nETag: W/\"a\"\r\n"
            + "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\nTransfer-Encoding: gzip, chunked\r\nRetry-After: 5\r\n"
            + "Location: /x\r\nWWW-Authenticate: Basic realm=\"a\", Digest nonce=\"b\"\r\nDigest: md5=1B2M2Y8AsgTpgAmY7PhCfg==\r\n"
            + "Content-Disposition: attachment; filename=a\r\n\r\n"
        ]
      ) { value in
        var parser = ResponseHeadParser()
        var rest = value[...]
        while !rest.isEmpty {
          let end = rest.firstIndex(of: 0x0a).map { $0 + 1 } ?? rest.endIndex
          let line = Array(rest[..<end])
          rest = rest[end...]
          guard case .complete(let head) = line.withUnsafeBytes({ parser.line($0) }) else { continue }
          require((200...999).contains(head.status) && head.contentLength ?? 0 >= 0, "\(head)")
          require(!(head.isChunked && head.contentLength != nil), "\(head)")
          let texts = [head.contentType, head.contentEncoding].compactMap { $0 } + head.wwwAuthenticate
          require(texts.allSatisfy { $0.utf8.allSatisfy { (0x20...0x7e).contains($0) } }, "\(head)")
          return
        }
      },
      field(
        "cookies",
        ["# Netscape HTTP Cookie File\n.h\tTRUE\t/\tFALSE\t0\ta\tb\n#HttpOnly_h\tFALSE\t/x\tTRUE\t2000000000\tc\td\n"]
      ) { value in
        guard let file = try? CookieFile(value) else { return }
        let again = try? CookieFile(CookieFile.content(file.cookies, unixTime: .min))
        require(again?.cookies == file.cookies, "what is written is not read again")
      },
      field(
        "netrc",
        [
          "# c\nmachine h login a password \"b \\\"\\n\" account x\r\nmacdef m\n\tls\n\nmachine [::1]\nlogin #c\n",
          "machine h password x#y\ndefault login d password \"\"",
        ]
      ) { value in
        let file: NetrcFile
        do throws(NetrcFile.Problem) { file = try NetrcFile(value) } catch {
          require((1...value.count { $0 == 0x0a } + 1).contains(error.line), "\(error)")
          return
        }
        for login in [nil, Array("a".utf8)] {
          guard let found = file.credentials(for: "h", port: 443, login: login) else { continue }
          require(found.name == login ?? found.name, "the password of another name")
          require(!found.name.contains(where: \.isControl) && !found.password.contains(0), "\(found)")
          require(max(found.name.count, found.password.count) <= NetrcFile.mostValueBytes, "a value without limit")
        }
      },
      field("urls-of-curl", ["https://user:pw@h.example:8443/a/%2e%2e/b?q=1#f", "http://[::1]/x", "ftp://h//a"]) {
        value in
        guard let parsed = try? URLParser.parse(value) else { return }
        let again = try? URLParser.parse(Array(parsed.location.text.utf8))
        require(again?.location == parsed.location, "\(parsed.location.text)")
        requireInside(TargetName.fromURLPath(parsed.location.path))
        TargetName.directories(fromURLPath: parsed.location.path).forEach(requireInside)
      },
    ]
  }
}

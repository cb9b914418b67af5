internal import DownloadCore
internal import DownloadWords

/// What a person, or a program, reads of `--spider`.
enum SpiderMessages {
  /// `https://h/a: ok: 12 bytes, ETag "x", Last-Modified Sun, 06 Nov 1994 08:49:37 GMT`, with a newline.
  static func line(_ outcome: Outcome) -> String {
    let place = outcome.source.map { " (\($0.text))" } ?? ""
    let url = Diagnostic.escaped(outcome.location.redacted)
    if case .failed(let error) = outcome.result {
      return "\(url): dead: \(Diagnostic.escaped(Redaction.words(reason(error))))\(place)\n"
    }
    return "\(url): ok: \(Diagnostic.escaped(facts(outcome).joined(separator: ", ")))\n"
  }

  private static func facts(_ outcome: Outcome) -> [String] {
    guard let answer = outcome.transfers.lastAnswer else { return [] }
    var facts = [answer.contentLength.map { Humanized.count($0, "byte") } ?? "unknown length"]
    if let tag = answer.entityTag { facts.append("ETag \(tag.text)") }
    if let time = answer.lastModified { facts.append("Last-Modified \(HTTPDate.format(time))") }
    if let coding = answer.contentCoding { facts.append("Content-Encoding \(coding)") }
    if answer.location != outcome.location { facts.append("from \(answer.location.withoutQuery)") }
    return facts
  }

  /// Without the URL where that is the one that was asked.
  private static func reason(_ error: Failure) -> String {
    if case .transfer(let fault, _, _, _) = error.cause { FaultMessages.message(fault) } else { error.message }
  }

  /// One line of `--progress json`, or of a log in JSON.
  ///
  /// - Parameter time: milliseconds since 1970; nil for none.
  static func object(_ outcome: Outcome, at time: Int64? = nil) -> JSONObject {
    var object = time.map { JSONObject(event: "url", at: $0) } ?? JSONObject(event: "url")
    object.add("item", Int64(outcome.task.position))
    object.add(name: outcome.name)
    object.add("url", outcome.location.redacted)
    object.add("http-status", (outcome.status ?? outcome.transfers.lastAnswer?.status).map(Int64.init))
    if case .failed(let error) = outcome.result {
      object.add("result", "dead")
      object.add("code", error.code.rawValue)
      object.add("reason", Redaction.words(reason(error)))
    } else {
      object.add("result", "ok")
      object.add("length", outcome.transfers.lastAnswer?.contentLength)
      object.add("etag", outcome.transfers.lastAnswer?.entityTag?.text)
      object.add("last-modified", outcome.transfers.lastAnswer?.lastModified.map { HTTPDate.format($0) })
      object.add("served-by", outcome.transfers.lastAnswer?.location.withoutQuery)
    }
    object.add("source", outcome.source?.text)
    return object
  }

  static func summary(urlCount: Int, dead: Int) -> Diagnostic {
    Diagnostic(message: "\(Humanized.count(urlCount, "URL")) asked, \(dead) dead")
  }
}

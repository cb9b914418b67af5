internal import DownloadCore
internal import DownloadEvents
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
  static func object(_ outcome: Outcome) -> JSONObject {
    let answer = outcome.transfers.lastAnswer
    var failure: Failure?
    if case .failed(let error) = outcome.result { failure = error }
    var object = JSONObject(.url)
    object.add(.number, outcome.task.position)
    object.add(.name, bytes: outcome.name)
    object.add(.url, outcome.location.redacted)
    object.add(.httpStatus, (outcome.status ?? answer?.status).map(Int64.init))
    object.add(.outcome, failure == nil ? "ok" : "dead")
    object.add(.error, failure.map { JSONObject($0, in: .command, message: reason($0)) })
    object.add(.size, answer?.contentLength)
    object.add(.etag, answer?.entityTag?.text)
    object.add(.lastModified, answer?.lastModified.map { HTTPDate.format($0) })
    object.add(.finalURL, answer?.location.withoutQuery)
    object.add(outcome.source)
    return object
  }

  /// The last object.
  static func end(urlCount: Int, dead: Int, _ status: ExitStatus) -> JSONObject {
    var object = JSONObject(.end)
    object.add(.status, Int64(status.rawValue))
    object.add(.urls, urlCount)
    object.add(.dead, dead)
    return object
  }

  static func summary(urlCount: Int, dead: Int) -> Diagnostic {
    Diagnostic(message: "\(Humanized.count(urlCount, "URL")) asked, \(dead) dead")
  }
}

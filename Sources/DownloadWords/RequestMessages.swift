package import DownloadCore
package import DownloadTransport

/// What a person reads of URLs and names that cannot be requests.
package enum RequestMessages {
  /// The text after the URL and a colon.
  package static func reason(_ failure: URLParser.Fault) -> String {
    switch failure {
    case .malformed: "not a valid URL"
    case .unsupportedScheme(let scheme): "\(scheme) is not supported, only http and https"
    case .noHost: "a URL without a host"
    case .invalidInternationalHost: "the host is not a valid international name (IDNA)"
    case .hostTooLong: "the host is longer than 255 bytes"
    }
  }

  /// The text after the URL and a colon.
  package static func reason(_ problem: URLGlob.Problem) -> String {
    switch problem {
    case .unclosed(let byte): "'\(Character(Unicode.Scalar(byte)))' is not closed"
    case .unopened(let byte): "'\(Character(Unicode.Scalar(byte)))' closes nothing"
    case .nested: "braces in braces, or brackets in brackets, are not supported"
    case .malformedRange(let text):
      "'[\(Diagnostic.escaped(text))]' is not a range such as [1-9], [001-100:5] or [a-f]"
    case .tooMany: "expands to more than \(URLGlob.mostURLs) URLs"
    }
  }

  /// The text after the name and a colon.
  package static func reason(_ error: TargetNameError) -> String {
    switch error {
    case .empty: "the name is empty"
    case .absolute: "the name begins with a slash, but must stay inside the target directory"
    case .leavesDirectory: "the name contains '..', but must stay inside the target directory"
    case .isDirectory: "the name ends with a slash, so it names a directory"
    case .controlCharacter: "the name contains a control character"
    case .tooLong: "a component of the name is longer than 255 bytes"
    case .reservedSuffix:
      "names ending in .swiftget, .swiftget-part, .swiftget-bad, .swiftget-tmp or .swiftget-next are reserved"
    case .isURL: "a URL is not a file name"
    }
  }
}

extension FileRequest {
  /// The line or the URL of a request.
  package var shownPlace: String { source?.text ?? mirrors[0].location.redacted }
}

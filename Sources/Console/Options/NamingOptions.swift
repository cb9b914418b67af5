import DownloadCore
import DownloadEngine

/// `--output-template`: its argument.
enum NamingOptions {
  static func errors(_ invocation: Invocation) -> [DownloadError] {
    guard let template = invocation.naming.template else { return [] }
    var errors: [DownloadError] = []
    func add(_ message: String, hint: String) { errors.append(DownloadError(.usage, message, hint: hint)) }
    if template.fields.contains(.urlMD5), !Digests.isAvailable(.md5) {
      add("--output-template: cannot compute md5: OpenSSL has disabled it", hint: "leave out {url-md5}")
    }
    return errors
  }

  /// `{host}, {path}, …`
  fileprivate static let fields = OutputTemplate.Field.allCases.map { "{\($0.rawValue)}" }.joined(separator: ", ")
}

extension OptionArgument {
  func outputTemplate() throws(DownloadError) -> OutputTemplate {
    let text = try path()
    do { return try OutputTemplate(text: text) } catch {
      let hint = "such as '{host}/{path}/{name}'; the fields are \(NamingOptions.fields)"
      switch error {
      case .unpairedBrace: throw refused("has a brace without its counterpart", hint: hint)
      case .noField: throw refused("names all files alike", hint: hint)
      case .unknownField(let name):
        throw OptionArgument(spelling: spelling, bytes: name, isGiven: true).refused("is not a field", hint: hint)
      case .unusable(.absolute): throw refused("begins with a slash", hint: "give the directory with -d")
      case .unusable(let reason): throw refused("cannot be used: \(RequestMessages.reason(reason))", hint: hint)
      }
    }
  }
}

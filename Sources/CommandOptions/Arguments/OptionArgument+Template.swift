internal import DownloadCore
internal import DownloadEngine
internal import DownloadLists
internal import DownloadWords

extension OptionArgument {
  func outputTemplate() throws(Failure) -> OutputTemplate {
    let text = try path()
    let template: OutputTemplate
    do { template = try OutputTemplate(text: text) } catch {
      let fields = OutputTemplate.Placeholder.allCases.map { "{\($0.rawValue)}" }.joined(separator: ", ")
      let hint = "such as '{host}/{path}/{name}'; the fields are \(fields)"
      switch error {
      case .unpairedBrace: throw refused("has a brace without its counterpart", hint: hint)
      case .noField: throw refused("names all files alike", hint: hint)
      case .unknownField(let name):
        throw part(name).refused("is not a field", hint: hint)
      case .unusable(.absolute): throw refused("begins with a slash", hint: "give the directory with -d")
      case .unusable(let reason): throw refused("cannot be used: \(RequestMessages.reason(reason))", hint: hint)
      }
    }
    if template.placeholders.contains(.urlMD5), !Digests.isAvailable(.md5) {
      throw Failure(
        .usage, "\(spelling): cannot compute md5: OpenSSL has disabled it", hint: "leave out {url-md5}")
    }
    return template
  }
}

internal import DownloadCore
internal import DownloadJSON

/// A configuration for a session that has one already: of another process that works on it, or of this one.
extension DownloadConfiguration {
  /// What is neither limits nor settings and differs from the usual configuration.
  var json: JSONObject {
    var object = JSONObject()
    if ifExists != .ask { object.add("if_exists", ifExists.name) }
    if let history { object.add("history", Int64(history)) }
    if let giveUpAfter { object.add("give_up_after", giveUpAfter.wholeMilliseconds) }
    if let netrcFile { object.add("netrc_file", netrcFile) }
    if let caFile { object.add("ca_file", caFile) }
    return object
  }

  /// What is given here must be what the session has. Secrets are not compared.
  ///
  /// - Parameter session: the answer to the method `session`.
  /// - Throws: `policyNeedsOwner`; `conflict`, which names what differs.
  func requireSame(as session: JSONValue) throws(DownloadError) {
    if !policy.kinds.isEmpty {
      throw DownloadError(
        .policyNeedsOwner, "another process works on the session, and would not ask the policy of this one",
        hint: "end that process, or open the session without a policy")
    }
    let different =
      Self.differences(limits.json, session["limits"]) + Self.differences(settings.json, session["settings"])
      + Self.differences(json, session["configuration"])
    if different.isEmpty { return }
    throw DownloadError(
      .conflict, "another process works on the session, with other values of \(different.joined(separator: ", "))",
      hint: "leave these out, and change them by commands")
  }

  /// What is given here must be what the session has that is open in this process already, but for limits and settings.
  ///
  /// - Throws: `conflict`, which names what differs; a policy does always.
  func requireSame(as other: DownloadConfiguration) throws(DownloadError) {
    var different = Self.differences(json, JSONValue(text: other.json.string))
    if directory != ".", directory != other.directory { different.append("directory") }
    if !policy.kinds.isEmpty { different.append("policy") }
    if different.isEmpty { return }
    throw DownloadError(
      .conflict, "the session is open in this process, with other values of \(different.joined(separator: ", "))",
      hint: "leave these out, or close the session first")
  }

  /// The members that are given and differ.
  private static func differences(_ own: JSONObject, _ told: JSONValue?) -> [String] {
    let members = JSONValue(text: own.string)?.members ?? []
    return members.filter { name, value in
      guard let other = told?[name[...]] else { return !value.isNull }
      return other != value
    }.map { String(decoding: $0.key, as: UTF8.self) }
  }
}

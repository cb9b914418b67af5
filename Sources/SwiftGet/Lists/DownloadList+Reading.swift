internal import DownloadCore
internal import DownloadEngine
internal import DownloadListWriting
internal import DownloadLists

/// In `DownloadList` a failure is that of an entry.
private typealias ReadFailure = Failure

extension DownloadList {
  /// - Parameter base: the directory where files go if the list has none of its own; nil is the working directory.
  func read(base: [UInt8]?) throws(DownloadError) -> Contents {
    do throws(ReadFailure) { return try contents(base: base) } catch {
      throw DownloadError(error, of: nil, url: nil, path: nil, status: nil)
    }
  }

  private func rules() throws(ReadFailure) -> ColumnRules {
    var rules = ColumnRules(scheme: urlScheme)
    do {
      rules.choice = try columns.map { text throws(ColumnChoice.Fault) in try ColumnChoice(text: Array(text.utf8)) }
    } catch {
      throw ReadFailure(
        .usage, "the columns are not of the form KEY=COLUMN", hint: "such as url=link,md5=sum, with commas between them"
      )
    }
    do {
      rules.template = try urlTemplate.map { text throws(URLTemplate.Fault) in try URLTemplate(text: Array(text.utf8)) }
    } catch {
      throw ReadFailure(
        .usage, "the template makes no URLs", hint: "such as https://example.org/data/{id}, with columns in braces")
    }
    if rules.choice != nil || rules.template != nil, (rules.choice?.url == nil) == (rules.template == nil) {
      throw ReadFailure(.usage, "either a column or a template makes the URL", hint: "such as url=link")
    }
    if let urlScheme, urlScheme != "https", urlScheme != "http" {
      throw ReadFailure(.usage, "the scheme of URLs is https or http")
    }
    return rules
  }

  private func naming() throws(ReadFailure) -> NamingOptions {
    var naming = NamingOptions()
    naming.strippedComponentCount = max(0, strippedComponents)
    naming.takesBaseNames = takesBaseNames
    naming.directory = directory.map { Array($0.utf8) }
    guard let nameTemplate else { return naming }
    if strippedComponents > 0 {
      throw ReadFailure(.usage, "a template names files without the directories of the list")
    }
    do { naming.template = try OutputTemplate(text: Array(nameTemplate.utf8)) } catch {
      throw ReadFailure(.usage, "the template names no files", hint: "such as {host}/{path}/{name}")
    }
    return naming
  }

  private func contents(base: [UInt8]?) throws(ReadFailure) -> Contents {
    var options = ListOptions()
    var given: [UInt8]?
    switch source {
    case .file(let path): options.inputs = [path]
    case .bytes(let bytes, let name):
      options.inputs = [name]
      given = bytes
    }
    options.inputFormat = format?.rawValue
    options.columns = try rules()
    options.baseURL = baseURL.map { Array($0.utf8) }
    options.filter.included = includes.map { Array($0.utf8) }
    options.filter.excluded = excludes.map { Array($0.utf8) }
    options.metalink.languages = languages
    options.metalink.systems = systems
    options.metalink.locations = locations
    options.signatures.keys = verificationKeys.map { Array($0.utf8) }
    options.signatures.signature = signature.map { Array($0.utf8) }
    options.keepsGoing = true
    var naming = try naming()
    let inputs = DecidingInputs()
    let verifier = try ListVerifier(options.signatures, notedIn: inputs)
    let place = given == nil ? try BagChoice.directory(of: options, naming, notedIn: inputs) : naming.directory
    naming.directory = place ?? base
    let list = try RequestList(options, naming, for: .download, notedIn: inputs, verifier, given: given)
    _ = try list.check()
    let found = Lock(Contents())
    var index = 0
    try list.revisit(skipping: { _ in false }, tellsAll: true) { entry in
      found.withLock { $0.take(entry, at: index, self, in: place) }
      index += 1
    }
    return found.withLock { $0 }
  }
}

extension DownloadList.Contents {
  fileprivate mutating func take(_ entry: RevisitedEntry, at index: Int, _ list: DownloadList, in directory: [UInt8]?) {
    func refuse(_ error: DownloadError) { failures.append(DownloadList.Failure(index: index, error: error)) }
    switch entry {
    case .item(let listed):
      do throws(DownloadError) {
        var request = try DownloadRequest(listed.request, in: directory, mayLeave: list.allowsAbsolutePaths)
        list.change?(&request)
        requests.append(request)
        places.append(index)
      } catch { refuse(error) }
    case .part: break
    case .refused(let failure, _): refuse(DownloadError(failure, of: nil, url: nil, path: nil, status: nil))
    }
  }
}

internal import DownloadCore
internal import DownloadFiles

/// One item that is being worked on.
///
/// Touched by the loop's thread only; the workers get what they need in messages.
final class ActiveItem {
  /// Where the bytes go.
  enum Destination {
    /// A place in a directory: part file, sidecar, rename.
    case file(TargetPlace)
    /// Standard output, a pipe, a device: in order, nothing renamed.
    case stream(StreamOutput)
  }

  /// What comes of its content when that is complete.
  struct Content {
    /// The whole content of a small file that was never written to a part file.
    var body: FilledBlock?
    /// A worker verifies and names it as a small file.
    var isStaged = false
    /// Why the part file of a whole file is awaited; nil if it is not.
    var partUse: PartUse?
    /// The state of the part file that is judged.
    var seal: PartFile.Seal?
    /// What the content was found to be.
    var verified: VerifiedDigest?
    /// What is recorded of the content; nil unless the settings ask for it.
    var record: ContentRecord?
  }

  /// What it has asked servers, and got from them.
  struct Traffic {
    /// Whether its requests share no connection, because nothing else was wanted when it began; nil before the first.
    var isAlone: Bool?
    /// Body bytes from the network.
    var received = ReceivedBytes()
    /// Nil before the first answer.
    var lastAnswer: ServerAnswer?
    /// Those of its redirects, where the run keeps no cookies.
    var cookies = ChainCookies()
  }

  /// What goes on once the storage thread has answered.
  enum PartUse {
    /// The whole file gets its part file, by which it is judged.
    case conclusion(Conclusion)
    /// The content is wrong: its part file is made or renamed, and then the item fails.
    case settingAside(Failure)
  }

  let handle: ItemHandle
  private(set) var request: FileRequest
  /// Mirrors that answers named. Nothing of the user's is sent to their origins.
  private(set) var linkedMirrors: [Location] = []
  private(set) var destination: Destination
  let startedAt: Instant
  var group = GroupID.main
  /// What stood under the target's name before.
  let existing: ExistingTarget
  /// Whether a file that is there may be replaced.
  var isReplacing = false
  /// Whether content that an earlier run set aside stands beside the target.
  var hasRejected = false
  /// Whether somebody is asked about its first answer, and has accepted it.
  var question = (isAsking: false, isAccepted: false)
  var content = Content()
  var traffic = Traffic()
  /// Part file and sidecar, once there are any.
  var storage: ItemStorage?
  var completeLength: Int64?

  init(_ handle: ItemHandle, _ request: FileRequest, destination: Destination, existing: ExistingTarget, now: Instant) {
    self.handle = handle
    self.request = request
    self.destination = destination
    self.existing = existing
    startedAt = now
  }

  var task: TaskID { request.task }
  var name: [UInt8] { request.target.name }
  /// By the numbers that the machine gives them.
  var mirrors: [Location] { request.mirrors.map(\.location) + linkedMirrors }
  var url: Location { request.mirrors[0].location }

  /// Names the whole original URL without showing it.
  private(set) lazy var urlHash = StableHash.fnv1a(url.text)

  /// Nothing of it may be written now: its storage is clearing, a stream's reader is slow, or it has no name yet.
  var isBuffering: Bool {
    if question.isAsking { return true }
    return switch destination {
    case .file: storage?.isClearing ?? false
    case .stream(let output): output.outlet.isFull
    }
  }

  /// There is a part file.
  var hasPart: Bool { storage?.part != nil }

  /// The answer has named the file.
  /// - Parameter name: nil if the name of the request stays.
  func chooseName(_ name: [UInt8]?) {
    request.isNamedByAnswer = false
    if let name, case .listed(let components) = request.target {
      request.isNamedByNetwork = true
      request.target = .listed(components.dropLast() + [name])
    }
  }

  /// The longest time that it may take; nil is unlimited.
  func maxTime(_ limits: RunLimits) -> Duration? { request.settings?.maxTime ?? limits.maxTime }

  /// A command has changed what holds for the task.
  func set(_ settings: TaskSettings?, headers: [String]) {
    request.settings = settings
    request.headers = headers
  }

  func join(_ locations: [Location]) {
    linkedMirrors += locations
    storage?.ranges.join(locations)
  }

  /// Nothing of its content is stored yet.
  func move(to place: TargetPlace) { destination = .file(place) }

  /// Nothing of its content is stored any more.
  func forgetContent() {
    completeLength = nil
    content.body = nil
  }
}

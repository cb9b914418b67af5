import CSwiftGetShims

/// What an epoll descriptor reports of each descriptor. Changes reach the kernel together, before the next wait.
///
/// libcurl changes its mind several times for each request: it stops watching a connection at the end of an answer and
/// starts again with the next request on it. Most of these changes cancel each other. One thread.
final class EpollInterests {
  private struct Interest {
    /// What the kernel reports; 0 where the descriptor is not registered.
    var registered: UInt32 = 0
    var wanted: UInt32 = 0
    var token: UInt64 = 0
    /// The descriptor may have been closed and opened again, and then the kernel has forgotten it.
    var isDoubtful = false
    var isChanged = false
  }

  private let epoll: Int32
  /// By descriptor.
  private var interests: [Interest] = []
  private var changed: [Int32] = []
  /// Tags whose descriptors report nothing.
  private var silentTags: Set<UInt64> = []

  /// - Parameter epoll: stays the caller's.
  init(epoll: Int32) { self.epoll = epoll }

  /// - Parameters:
  ///   - what: `SHIM_READABLE`, `SHIM_WRITABLE` or both; 0 for nothing.
  ///   - token: what the events of the descriptor carry.
  ///   - isNew: whether the descriptor may be another file than at the last call.
  func set(_ descriptor: Int32, _ what: UInt32, token: UInt64, isNew: Bool) {
    let index = Int(descriptor)
    while interests.count <= index { interests.append(Interest()) }
    interests[index].wanted = what
    if interests[index].token != token || isNew { interests[index].isDoubtful = true }
    interests[index].token = token
    guard !interests[index].isChanged else { return }
    interests[index].isChanged = true
    changed.append(descriptor)
  }

  /// Whether the descriptors whose tokens have this upper half report nothing from now on, whatever is wanted of them.
  func setSilent(_ isSilent: Bool, tag: UInt64) {
    if isSilent { silentTags.insert(tag) } else { silentTags.remove(tag) }
    for index in interests.indices where interests[index].token >> 32 == tag && !interests[index].isChanged {
      interests[index].isChanged = true
      changed.append(Int32(index))
    }
  }

  /// Tells the kernel of all changes. Call it before each wait.
  func tellKernel() {
    for descriptor in changed {
      var interest = interests[Int(descriptor)]
      let isSilent = !silentTags.isEmpty && silentTags.contains(interest.token >> 32)
      let wanted = isSilent ? 0 : interest.wanted
      if wanted != interest.registered || interest.isDoubtful && wanted != 0 {
        _ = shim_epoll_set(epoll, descriptor, wanted, interest.token, interest.registered != 0 ? 1 : 0)
      }
      interest.registered = wanted
      interest.isDoubtful = false
      interest.isChanged = false
      interests[Int(descriptor)] = interest
    }
    changed.removeAll(keepingCapacity: true)
  }
}

extension RunMachine {
  /// The version for the item's sidecar; empty if the item is not active.
  package func knowledge(of item: Int) -> VersionKnowledge {
    guard let entry = file(item) else { return VersionKnowledge() }
    var knowledge = entry.machine.knowledge
    let origin = entry.machine.origin(ofMirror: entry.machine.currentMirror)
    if governor(of: origin)?.isETagReliable == false { knowledge.isETagReliable = false }
    return knowledge
  }
}

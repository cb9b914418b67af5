extension RunMachine {
  /// What the item's sidecar is to say of the version; nothing where the item is not at work.
  package func knowledge(of item: Int) -> VersionKnowledge {
    guard let entry = file(item) else { return VersionKnowledge() }
    var knowledge = entry.machine.knowledge
    let origin = entry.machine.origin(ofMirror: entry.machine.currentMirror)
    if governor(of: origin)?.isETagReliable == false { knowledge.isETagReliable = false }
    return knowledge
  }
}

/// The mirrors of one file: which of them may be asked, which is asked next, and which have proved bad.
struct MirrorSet: Sendable {
  private var states: [MirrorState]
  /// The mirror that the file comes from, or would be asked first.
  private(set) var current = 0

  /// So many are at work together; more of them wait as replacements.
  private static let mostPartners = 5

  init(_ locations: [Location], climber: ConcurrencyProbe) {
    states = locations.map { MirrorState($0, climber: climber) }
  }

  var count: Int { states.count }
  var indices: Range<Int> { states.indices }

  // `get` and not `_read`: with -O file by file (Swift 6.3.1) a part that is copied out of what `_read` yields is released
  // once too often.
  subscript(index: Int) -> MirrorState {
    get { states[index] }
    _modify { yield &states[index] }
  }

  // MARK: Which may be asked

  /// Mirrors that may be asked at all, the current one first; replacements only where there are no others.
  func candidates(for version: VersionState) -> [Int] {
    let left = states.indices.map { (current + $0) % states.count }.filter { states[$0].isLeft }
    let agreeing = left.filter { states[$0].isAgreeing }
    if agreeing.isEmpty { return left }
    // After a mismatch one mirror brings all, so that the next one tells whose fault it was.
    if !version.mixesMirrors, let sole = agreeing.first(where: { states[$0].contribution > 0 }) { return [sole] }
    let swift = agreeing.filter { !states[$0].isLaggard }
    return swift.isEmpty ? agreeing : swift
  }

  /// Mirrors whose bytes may stand side by side as far as is known, those that have told the version first.
  func partners(for version: VersionState) -> [Int] {
    let candidates = candidates(for: version)
    guard version.mixesMirrors, states.count > 1 else { return Array(candidates.prefix(1)) }
    let able = candidates.filter { !states[$0].ranges.isAvoided }
    let sources = able.filter { version.validators[$0] != nil }
    return Array((sources + able.filter { version.validators[$0] == nil }).prefix(Self.mostPartners))
  }

  /// Whether segments are divided among several mirrors.
  func areShared(for version: VersionState) -> Bool { states.count > 1 && partners(for: version).count > 1 }

  /// Whether the content can go on from another mirror that has told its version.
  func hasOtherSource(than mirror: Int, of version: VersionState) -> Bool {
    states.indices.contains {
      $0 != mirror && states[$0].isAgreeing && version.validators[$0] != nil
    }
  }

  /// Whether another mirror than this one may bring something of the content.
  func hasOther(than mirror: Int) -> Bool {
    states.indices.contains { $0 != mirror && states[$0].isAgreeing }
  }

  /// Whether of those that the content is from another one was named before it.
  func isJunior(_ mirror: Int, in version: VersionState) -> Bool {
    states.indices.prefix(mirror).contains { version.validators[$0] != nil && states[$0].isAgreeing }
  }

  /// Whether it is the first in the request's order that may be asked at all.
  func isFirst(_ mirror: Int) -> Bool { !states.prefix(mirror).contains(where: \.isLeft) }

  /// The only mirror that has brought something of the content, where another one is left to be asked.
  var soleSourceWithAlternative: Int? {
    let sources = states.indices.filter { states[$0].contribution > 0 }
    guard sources.count == 1 else { return nil }
    return states.indices.contains { $0 != sources[0] && states[$0].isLeft } ? sources[0] : nil
  }

  /// A mirror that brought something of the content, else the current one.
  var source: Int { states.firstIndex { $0.contribution > 0 } ?? current }

  // MARK: How fast they are

  /// Bytes per second that a connection to this mirror brings; of one that was never measured what the others' do, and
  /// zero where nothing is known.
  func expectedRate(of mirror: Int) -> Double {
    if states[mirror].meter.isTelling { return states[mirror].meter.connectionRate }
    let known = states.filter(\.meter.isTelling)
    return known.isEmpty ? 0 : known.reduce(0) { $0 + $1.meter.connectionRate } / Double(known.count)
  }

  // MARK: Which is asked next

  mutating func choose(_ mirror: Int) { current = mirror }

  /// The turn passes to the mirror after this one, unless there is only one.
  mutating func pass(_ mirror: Int) { if states.count > 1 { current = (mirror + 1) % states.count } }

  /// The turn passes to the next mirror that may be asked at all, if there is one.
  mutating func passToNextLeft() {
    for step in 1...states.count where states[(current + step) % states.count].isLeft {
      current = (current + step) % states.count
      return
    }
  }

  // MARK: Standing

  /// The mirror is left while others bring far more.
  mutating func lags(_ mirror: Int, _ version: VersionState) {
    states[mirror].lags()
    if current == mirror { current = candidates(for: version).first ?? mirror }
  }

  /// No further request goes to the mirror.
  ///
  /// - Returns: whether another one is left.
  mutating func expel(_ mirror: Int, _ fault: TransferFault, _ version: VersionState) -> Bool {
    states[mirror].expel(fault)
    guard states.contains(where: \.isLeft) else { return false }
    current = (mirror + 1) % states.count
    current = candidates(for: version).first ?? current
    return true
  }

  /// Nothing of the content is left: any mirror's version may become the wanted one.
  mutating func contentDiscarded() {
    for mirror in states.indices { states[mirror].contentDiscarded() }
  }
}

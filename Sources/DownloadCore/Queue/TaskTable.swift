// Public, because the compiler specializes a generic type for another module only if it is: entries of that module would be
// copied for each look at an id.

/// What a `TaskTable` has of one task.
public protocol TaskEntry {
  var id: TaskID { get }
  /// Whether it stands for a task that the table does not have any more.
  var isGone: Bool { get }
  /// Becomes such an entry, which needs no memory of its own.
  mutating func leave()
}

/// Tasks in the order of their ids: nothing but the entries themselves, because there may be 100,000.
public struct TaskTable<Entry: TaskEntry> {
  @usableFromInline var entries: [Entry] = []
  @usableFromInline var goneCount = 0

  @inlinable public init() {}

  @inlinable public var count: Int { entries.count - goneCount }
  @inlinable public var all: some Sequence<Entry> { entries.lazy.filter { !$0.isGone } }

  /// Those with greater ids than this one; nil is all.
  @inlinable public func all(after id: TaskID?) -> some Sequence<Entry> {
    let first = id.map { id in
      let place = position(of: id)
      return place < entries.count && entries[place].id == id ? place + 1 : place
    }
    return entries[(first ?? 0)...].lazy.filter { !$0.isGone }
  }

  /// Costs constant time for an id that is greater than all others.
  ///
  /// - Returns: false if a task has the id.
  @inlinable public mutating func insert(_ entry: Entry) -> Bool {
    if entries.last.map({ $0.id < entry.id }) ?? true {
      entries.append(entry)
      return true
    }
    let place = position(of: entry.id)
    if entries[place].id == entry.id {
      guard entries[place].isGone else { return false }
      entries[place] = entry
      goneCount -= 1
    } else {
      entries.insert(entry, at: place)
    }
    return true
  }

  /// Nil for an id that is not known; setting it to nil has no effect.
  @inlinable public subscript(_ id: TaskID) -> Entry? {
    get { place(of: id).map { entries[$0] } }
    set { if let newValue, let place = place(of: id) { entries[place] = newValue } }
  }

  /// - Parameter place: of `place(of:)`, after which no task was removed.
  @inlinable public subscript(place place: Int) -> Entry {
    get { entries[place] }
    _modify { yield &entries[place] }
  }

  @inlinable public mutating func remove(_ id: TaskID) {
    guard let place = place(of: id) else { return }
    entries[place].leave()
    goneCount += 1
    guard goneCount > 64, goneCount > entries.count / 2 else { return }
    entries.removeAll(where: \.isGone)
    goneCount = 0
  }

  /// Where the task is; nil if it is not known. Costs about the logarithm of the number of tasks.
  @inlinable public func place(of id: TaskID) -> Int? {
    let found = position(of: id)
    return found < entries.count && entries[found].id == id && !entries[found].isGone ? found : nil
  }

  /// Where the task with this id is, or would be inserted.
  @inlinable func position(of id: TaskID) -> Int {
    // Ids of a list count up without gaps, and the oldest ones end first.
    if let first = entries.first, id.number >= first.id.number {
      let guess = Int(clamping: id.number - first.id.number)
      if guess < entries.count, entries[guess].id == id { return guess }
    }
    var range = 0..<entries.count
    while !range.isEmpty {
      let middle = (range.lowerBound + range.upperBound) / 2
      if entries[middle].id < id { range = middle + 1..<range.upperBound } else { range = range.lowerBound..<middle }
    }
    return range.lowerBound
  }
}

extension TaskTable: Sendable where Entry: Sendable {}

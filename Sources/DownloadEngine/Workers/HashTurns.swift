internal import DownloadCore

/// Something to hash that may be large. A hash thread takes steps of several in turn.
protocol HashWork: AnyObject {
  /// Whose content it is.
  var item: ItemHandle { get }
  /// Reads the next bytes into `block` and hashes them.
  func step(_ block: UnsafeMutableRawBufferPointer) -> HashStep
}

enum HashStep {
  case unfinished
  /// The work is done. Nil: nobody waits for an answer.
  case finished(WorkerReply?)
  /// An existing file is right. The answer follows once it is on stable storage.
  case right(ExistingFileGroup.Member)
}

/// The order in which a hash thread works, so that nothing waits for the end of a large file.
///
/// Kinds of work take turns. Within a kind, work that has not begun takes turns with the first that has, so that a small
/// file waits for one turn of a large one, and large ones finish one after the other.
struct HashTurns {
  enum Kind: Int, CaseIterable {
    /// A file that was there before.
    case existing
    /// What is known of a file that is being downloaded.
    case partial
    /// A file of which all bytes are there.
    case complete
    case piece
  }

  struct Turn {
    let kind: Kind
    let work: any HashWork
    fileprivate let isNew: Bool
  }

  private struct Queue {
    var new = FIFO<any HashWork>()
    var begun = FIFO<any HashWork>()
    private var isNewNext = true

    var isEmpty: Bool { new.isEmpty && begun.isEmpty }

    mutating func next() -> (work: any HashWork, isNew: Bool)? {
      let takesNew = !new.isEmpty && (isNewNext || begun.isEmpty)
      isNewNext = !takesNew
      return (takesNew ? new.popFirst() : begun.popFirst()).map { ($0, takesNew) }
    }
  }

  private var queues = [Queue](repeating: Queue(), count: Kind.allCases.count)
  private var last = Kind.allCases.count - 1

  var isEmpty: Bool { queues.allSatisfy(\.isEmpty) }

  func hasWork(_ kind: Kind) -> Bool { !queues[kind.rawValue].isEmpty }

  mutating func add(_ work: any HashWork, _ kind: Kind) { queues[kind.rawValue].new.append(work) }

  /// Takes out the work whose turn it is.
  mutating func next() -> Turn? {
    for distance in 1...queues.count {
      let kind = (last + distance) % queues.count
      guard let (work, isNew) = queues[kind].next() else { continue }
      last = kind
      return Turn(kind: Kind(rawValue: kind)!, work: work, isNew: isNew)
    }
    return nil
  }

  /// The work has had its turn and is not done.
  mutating func putBack(_ turn: Turn) {
    if turn.isNew {
      queues[turn.kind.rawValue].begun.append(turn.work)
    } else {
      queues[turn.kind.rawValue].begun.putBack(turn.work)
    }
  }

  /// Removes all work for an item.
  mutating func remove(_ item: ItemHandle) {
    for kind in Kind.allCases { remove(kind) { $0.item == item } }
  }

  mutating func remove(_ kind: Kind, where isUnwanted: (any HashWork) -> Bool) {
    queues[kind.rawValue].new.removeAll(where: isUnwanted)
    queues[kind.rawValue].begun.removeAll(where: isUnwanted)
  }
}

/// The tasks that have begun. Each beginning is an item with a handle of its own, which means nothing once it is given
/// back.
struct ItemTable {
  struct Item {
    let task: TaskID
    /// Whether it counts towards `jobs`.
    fileprivate(set) var hasPlace = false
  }

  private(set) var all: [ItemHandle: Item] = [:]
  private var handles: [TaskID: ItemHandle] = [:]
  private var nextHandle = 0
  /// Items that have a place.
  private(set) var placeCount = 0

  subscript(handle: ItemHandle) -> Item? { all[handle] }

  /// The handle of a task that has one which has not been given back.
  func handle(of task: TaskID) -> ItemHandle? { handles[task] }

  /// - Parameter task: that has no handle.
  mutating func begin(_ task: TaskID) -> ItemHandle {
    let handle = ItemHandle(nextHandle)
    nextHandle += 1
    all[handle] = Item(task: task)
    handles[task] = handle
    return handle
  }

  /// - Returns: the item as it was; nil if the handle was given back before.
  mutating func giveBack(_ handle: ItemHandle) -> Item? {
    guard let item = all.removeValue(forKey: handle) else { return nil }
    handles[item.task] = nil
    if item.hasPlace { placeCount -= 1 }
    return item
  }

  /// - Returns: whether it had none.
  mutating func takePlace(_ handle: ItemHandle) -> Bool {
    guard let index = all.index(forKey: handle), !all.values[index].hasPlace else { return false }
    all.values[index].hasPlace = true
    placeCount += 1
    return true
  }

  /// - Returns: whether it had one.
  mutating func leavePlace(_ handle: ItemHandle) -> Bool {
    guard let index = all.index(forKey: handle), all.values[index].hasPlace else { return false }
    all.values[index].hasPlace = false
    placeCount -= 1
    return true
  }
}

/// A parser under libFuzzer.
struct FuzzTarget {
  let name: String
  /// How many values of `FuzzInput.choice` differ.
  var choiceCount = 1
  /// The texts that mutation begins with.
  let samples: [[UInt8]]
  /// Traps where the parser breaks its promises.
  let run: (FuzzInput) -> Void

  static var all: [FuzzTarget] { lists + documents + bags + fields + binary + words + control }
}

/// What libFuzzer draws.
struct FuzzInput {
  /// Which settings the parser gets.
  let choice: Int
  /// The lengths of the parts in which a text is given, used in turn.
  let parts: [Int]
  let text: [UInt8]

  init(_ bytes: [UInt8]) {
    choice = Int(bytes.first ?? 0)
    let division = bytes.dropFirst().first.map(Int.init) ?? 0
    parts = [1 + division & 15, 1 + division >> 4]
    text = Array(bytes.dropFirst(2))
  }

  /// The settings of this input.
  func among<Value>(_ values: [Value]) -> Value { values[choice % values.count] }

  /// The text in its parts, each in memory of its own, so that AddressSanitizer sees a read behind its end.
  func forEachPart(_ body: (UnsafeRawBufferPointer) -> Void) {
    var rest = text[...]
    var number = 0
    while !rest.isEmpty {
      let part = Array(rest.prefix(parts[number % 2]))
      part.withUnsafeBytes(body)
      rest = rest.dropFirst(part.count)
      number += 1
    }
  }
}

/// Ends the process if a promise is broken; libFuzzer then keeps the input.
func require(_ isKept: Bool, _ promise: @autoclosure () -> String) {
  if !isKept { fatalError(promise()) }
}

// Fuzzes one parser with libFuzzer:
//
//   Fuzz list           prints the names of the parsers
//   Fuzz samples NAME DIRECTORY
//                       writes the first inputs of a parser
//   Fuzz NAME ARGUMENT… runs libFuzzer with its own arguments
//
// An input is two bytes of choices (see `FuzzInput`) and the text.
import CFuzzer
import Glibc

let arguments = CommandLine.arguments
let command = arguments.count > 1 ? arguments[1] : "list"

/// The parser that `fuzzOne` runs. libFuzzer calls it on this thread only.
nonisolated(unsafe) var chosen: FuzzTarget?

// By this name it is known to libFuzzer's own `main`, which is linked and not called.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzzOne(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  chosen?.run(FuzzInput(Array(UnsafeBufferPointer(start: bytes, count: count))))
  return 0
}

switch command {
case "list":
  for target in FuzzTarget.all { print(target.name) }
case "samples":
  let target = FuzzTarget.all.first { $0.name == arguments[2] }!
  var number = 0
  for sample in target.samples {
    // Each choice of settings with its own division into parts.
    for choice in 0..<UInt8(target.choiceCount) {
      let file = fopen("\(arguments[3])/sample-\(number)", "w")
      let input = [choice, choice &* 7 &+ 3] + sample
      fwrite(input, 1, input.count, file)
      fclose(file)
      number += 1
    }
  }
default:
  chosen = FuzzTarget.all.first { $0.name == command }
  guard chosen != nil else {
    perror("no parser \(command)")
    exit(2)
  }
  var words = ([arguments[0]] + arguments.dropFirst(2)).map { strdup($0) } + [nil]
  var count = Int32(words.count - 1)
  words.withUnsafeMutableBufferPointer { words in
    var start = words.baseAddress
    exit(LLVMFuzzerRunDriver(&count, &start, { fuzzOne($0, $1) }))
  }
}

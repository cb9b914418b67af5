import CommandMain
import Glibc

let result = Program.run()
// After a signal nothing waits for a name server or a disk; everything that counts is recorded.
if result.mustNotWait { _exit(result.code) }
exit(result.code)

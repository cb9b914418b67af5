import Console
import Glibc

let (status, mustNotWait) = Program.run()
// After a signal nothing waits for a name server or a disk; everything that counts is recorded.
if mustNotWait { _exit(status.rawValue) }
exit(status.rawValue)

internal import CSwiftGetShims
package import DownloadEngine
package import DownloadFiles
package import DownloadScratch

/// Hashes files on all cores: one thread for each of them. Outcomes come in the order in which files are done.
///
/// The thread that makes it submits jobs and collects outcomes; it ends the pool with `end`.
package final class HashPool {
  private let jobs = JobQueue<HashJob>()
  private let outcomes = Mailbox<HashOutcome>()
  private let isStopped = StopFlag()
  private let readBytes = SharedCounter()
  private var threads: [WorkerThread] = []

  /// More threads wait for disks rather than for processors.
  private static let mostThreads = 64

  /// - Parameters:
  ///   - directory: names of jobs are relative to it.
  ///   - threadCount: nil for one on each processor that this process may use.
  /// - Throws: `noThreads` where there is not a single thread.
  package init(directory: TargetDirectory, threadCount: Int? = nil) throws(FileFailure) {
    let count = min(threadCount ?? Int(file_processor_count()), Self.mostThreads)
    for _ in 0..<max(1, count) {
      let thread = WorkerThread { [jobs, outcomes, isStopped, readBytes] in
        let hasher = FileHasher(directory: directory, isStopped: isStopped, readBytes: readBytes)
        while let job = jobs.next() { outcomes.post(hasher.hash(job)) }
      }
      guard let thread else { break }
      threads.append(thread)
    }
    if threads.isEmpty { throw FileFailure(directory.base.shownPath, .noThreads) }
  }

  /// - Parameter path: the user's path of the directory that names are relative to.
  package convenience init(path: [UInt8]) throws(FileFailure) {
    let directory: TargetDirectory
    do { directory = try TargetDirectory.open(path: path, creating: false) } catch { throw FileFailure(error) }
    try self.init(directory: directory)
  }

  package func submit(_ job: HashJob) { jobs.append(job) }

  /// Bytes that were read so far.
  package var readByteCount: Int64 { Int64(readBytes.value) }

  /// Waits for outcomes, at most so long.
  ///
  /// - Parameter time: nil waits without limit.
  /// - Returns: none where the time is over; nil if a signal that ends the run came first.
  package func collect(hearing signals: SignalWatch, within time: Duration? = nil) -> [HashOutcome]? {
    while true {
      let taken = outcomes.takeAll()
      if !taken.isEmpty { return taken }
      guard signals.wait(for: outcomes.descriptor, .readable, within: time) else { return nil }
      if time != nil { return outcomes.takeAll() }
    }
  }

  /// Drops what is not done yet, and waits for the threads.
  package func end() {
    isStopped.set()
    jobs.close()
    for thread in threads { thread.join() }
    threads = []
  }
}

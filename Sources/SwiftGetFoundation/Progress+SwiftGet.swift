public import Foundation
public import SwiftGet

extension Progress {
  /// The progress of a task, in bytes, whose pause, resume and cancel are the task's. The total is -1 while the size is
  /// unknown, and the progress is indeterminate then.
  ///
  /// It keeps the session going until the task ends.
  public convenience init(following task: DownloadTask) {
    self.init(parent: nil, userInfo: nil)
    kind = .file
    isPausable = true
    isCancellable = true
    totalUnitCount = -1
    pausingHandler = { Task { try? await task.pause() } }
    resumingHandler = { Task { try? await task.resume() } }
    cancellationHandler = { Task { try? await task.cancel() } }
    let progress = self
    task.onProgress { [weak progress] snapshot in
      progress?.totalUnitCount = snapshot.progress.totalBytes ?? -1
      progress?.completedUnitCount = snapshot.progress.bytes
    }
  }
}

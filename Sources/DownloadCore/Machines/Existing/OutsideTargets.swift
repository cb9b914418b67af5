/// What a list may do to a file outside of the directory of the run: keep it, and replace it only if an earlier run of ours
/// has left it as it is. The user names the directory of the run; what is outside, the list alone names.
extension ExistingTargetPolicy.Treatment {
  /// - Parameter isMarked: whether the existing file bears our mark and is untouched since.
  package func protecting(_ request: FileRequest, isMarked: Bool) -> ExistingTargetPolicy.Treatment {
    guard request.isOutside, !isMarked else { return self }
    switch self {
    case .download(replacing: true): return .refuse(Failure(.targetTaken(by: .foreignFile)))
    // A file of the server's length is kept, and another one is an error.
    case .update(let copy): return .compareLength(copy)
    // One that turns out to be wrong is not replaced either.
    case .hash, .download(replacing: false), .keep, .compareLength, .refuse: return self
    }
  }
}

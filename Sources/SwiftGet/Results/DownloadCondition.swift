/// What keeps tasks from going on, whatever they are.
public enum DownloadCondition: String, Hashable, Sendable, CaseIterable {
  /// A disk is full. Its tasks go on when there is room.
  case diskFull = "disk_full"
  /// The network is lost. Its tasks go on when it is there again.
  case noNetwork = "no_network"

  init?(_ wait: DownloadTaskWait) {
    switch wait {
    case .diskFull: self = .diskFull
    case .network: self = .noNetwork
    default: return nil
    }
  }
}

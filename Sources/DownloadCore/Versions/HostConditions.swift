/// The properties of a host that decisions about its files depend on. The default values are those of a host that was
/// never asked.
package struct HostConditions: Hashable, Sendable {
  /// False if the host sent different entity tags for one version.
  package var isETagReliable = true
  /// The time between a request and the first byte of its answer.
  package var roundTrip: Duration = .milliseconds(1)
  /// Bytes per second that one connection brings; 0 while unknown.
  package var connectionSpeed: Double = 0

  /// From this round trip on connections are opened together, not step by step.
  static let farRoundTrip: Duration = .milliseconds(10)
}

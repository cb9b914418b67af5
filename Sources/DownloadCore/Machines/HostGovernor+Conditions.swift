extension HostGovernor {
  /// What decisions about the host's files depend on.
  package var conditions: HostConditions {
    HostConditions(isETagReliable: isETagReliable, roundTrip: roundTrip, connectionSpeed: connectionSpeed)
  }
}

internal import DownloadTransport
internal import Glibc

extension Moment {
  /// Now.
  static var current: Moment {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Moment(wall: .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec), now: Clock.now())
  }
}

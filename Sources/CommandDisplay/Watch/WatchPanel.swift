internal import DownloadCore
internal import DownloadWords

/// Hosts, the map of a file, and the last ends: the right column of `ctl watch`, or what is below its list.
struct WatchPanel {
  let style: WatchStyle
  let width: Int

  private static let hostNameWidth = 16

  /// All parts, as far as the rows reach: hosts get a third at most, and the ends the rest.
  func lines(_ picture: WatchPicture, _ chosen: WatchPicture.Task?, rows: Int) -> [String] {
    var lines = hosts(picture, rows: max(3, rows / 3))
    if let chosen { lines += [""] + map(of: chosen, picture) }
    let room = rows - lines.count - 2
    if room > 0 { lines += ["", "last ends"] + events(picture, rows: room) }
    return Array(lines.prefix(rows))
  }

  private func hosts(_ picture: WatchPicture, rows: Int) -> [String] {
    var lines = [style.begin("hosts: connections/allowed, rate", to: width)]
    for (index, host) in picture.hosts.enumerated() {
      let words = words(host)
      let needed = words.isEmpty ? 1 : 2
      let isLast = index == picture.hosts.count - 1
      guard lines.count + needed + (isLast ? 0 : 1) <= rows else {
        lines.append(style.begin("\(style.ellipsis) and \(picture.hosts.count - index) more", to: width))
        break
      }
      let nameWidth = max(Self.hostNameWidth, width - 18)
      let count = WatchStyle.right(String(host.connections), 3) + "/" + style.fitted(String(host.limit), to: 3)
      lines.append(
        style.begin("\(style.fitted(host.name, to: nameWidth)) \(count) \(WatchStyle.right(rate(host), 9))", to: width))
      if !words.isEmpty { lines.append(style.begin("  \(words)", to: width)) }
    }
    return lines
  }

  private func rate(_ host: WatchPicture.WatchedHost) -> String {
    host.rate > 0 ? Humanized.rate(Double(host.rate)) : ""
  }

  /// What a host refuses, and until when.
  private func words(_ host: WatchPicture.WatchedHost) -> String {
    var parts: [String] = []
    if let pause = host.pause {
      parts.append("\(host.isUnreachable ? "unreachable, again in" : "pauses for") \(Humanized.timeLeft(pause))")
    } else if host.isUnreachable {
      parts.append("unreachable")
    }
    if let rate = host.requestRate {
      let tenths = Int64((min(max(0, rate), 1e9) * 10).rounded())
      parts.append("allows \(tenths / 10).\(tenths % 10) requests/s")
    }
    return parts.joined(separator: ", ")
  }

  /// Two lines: what is there of a file, and where.
  func map(of task: WatchPicture.Task, _ picture: WatchPicture) -> [String] {
    let title = style.cut("file \(task.number): \(task.name)", to: width)
    guard let size = task.size, size > 0 else { return [title, style.cut("its size is not known yet", to: width)] }
    let ranges =
      if let map = picture.map, map.task == task.id {
        map.ranges
      } else {
        // Nobody tells where they are.
        [0..<min(max(0, task.bytes), size)]
      }
    let whole = task.state == "succeeded" ? [0..<size] : ranges
    return [title, style.map(whole, of: size, width: width)]
  }

  /// The last ends, the latest at the bottom.
  func events(_ picture: WatchPicture, rows: Int) -> [String] {
    picture.events.suffix(max(0, rows)).map { style.begin($0.text, to: width) }
  }
}

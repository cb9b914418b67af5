internal import DownloadCore
internal import DownloadJSON
internal import DownloadWords
internal import SwiftGet

/// The verbs of `ctl` that are about sessions as a whole: `status`, `sessions`, `stop`.
struct SessionVerbs {
  private let run: VerbContext

  init(_ run: VerbContext) { self.run = run }

  func status() throws(ControlFailure) -> ControlStatus {
    let link = try run.link()
    defer { link.close() }
    let totals = try link.call("totals") { $0.add("select", ["@all"]) }
    let session = try link.call("session")
    let isPaused = session["paused"]?.boolean == true
    if run.line.has(.jsonObject) {
      var object = JSONObject()
      object.add("session", link.name)
      object.add("pid", link.worker)
      object.add("paused", isPaused)
      for (name, value) in totals.members { object.add(String(decoding: name, as: UTF8.self), verbatim: value.written) }
      _ = run.place.write(object.line)
      return .done
    }
    var parts = [TotalsText(totals).line]
    if isPaused { parts.append("paused") }
    parts.append(link.worker.map { "pid \($0)" } ?? "nobody works on it")
    run.write("\(link.name): \(parts.joined(separator: ", "))")
    return .done
  }

  func list() throws(ControlFailure) -> ControlStatus {
    let names = try SessionFinder.names(in: run.sessionDirectory)
    if run.line.has(.namesOnly) {
      if !names.isEmpty { run.write(names.joined(separator: "\n")) }
      return .done
    }
    var status = ControlStatus.done
    var objects: [[UInt8]] = []
    var lines: [[String]] = []
    for name in names {
      do throws(ControlFailure) {
        let link = try SessionLink(try SessionFinder(name, in: run.sessionDirectory))
        defer { link.close() }
        let totals = try link.call("totals") { $0.add("select", ["@all"]) }
        var object = JSONObject()
        object.add("session", name)
        object.add("pid", link.worker)
        for (name, value) in totals.members {
          object.add(String(decoding: name, as: UTF8.self), verbatim: value.written)
        }
        objects.append(object.text)
        lines.append([name, link.worker.map { "pid \($0)" } ?? "nobody", TotalsText(totals).line])
      } catch {
        run.place.tell(error.diagnostic)
        status = error.status
      }
    }
    if run.line.has(.jsonArray) {
      let comma = [UInt8(ascii: ","), UInt8(ascii: "\n")]
      _ = run.place.write([UInt8(ascii: "[")] + objects.joined(separator: comma) + Array("]\n".utf8))
    } else if run.place.columns == nil {
      run.write((["session\tworker\ttotals"] + lines.map { $0.joined(separator: "\t") }).joined(separator: "\n"))
    } else {
      for line in TextTable.fitted(lines) { run.write(line) }
    }
    return status
  }

  func stop() throws(ControlFailure) -> ControlStatus {
    if run.line.has(.finish), run.line.has(.now) {
      throw ControlFailure(.usage, "--finish and --now exclude each other")
    }
    let link = try run.link()
    defer { link.close() }
    guard let worker = link.worker else {
      run.write("nobody works on session \(link.name)")
      return .done
    }
    let mode = run.line.has(.finish) ? "finish" : run.line.has(.now) ? "now" : "save"
    do throws(ControlFailure) {
      _ = try link.call("stop", isRepeatable: false) { $0.add("mode", mode) }
      if mode == "finish" {
        run.write("session \(link.name) ends when the files have ended that have begun (pid \(worker))")
        return .done
      }
      // The connection ends with the work.
      while try link.connection.news(within: .seconds(30)) != nil {}
      throw ControlFailure(.store, "the process that works on session \(link.name) (pid \(worker)) has not ended yet")
    } catch {
      // It is what was wanted.
      guard error.isLost else { throw error }
      run.write("session \(link.name) is stopped; its bytes are kept")
      return .done
    }
  }
}

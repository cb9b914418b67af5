import DownloadCore
import DownloadJSON

@testable import DownloadControl
@testable import SwiftGet

extension FuzzTarget {
  /// What clients of a session send.
  static var control: [FuzzTarget] {
    let samples = [
      #"{"jsonrpc":"2.0","id":1,"method":"list","params":{"select":["state:failed","@all"],"fields":["id"]}}"#,
      #"{"jsonrpc":"2.0","id":"a\u0000","method":"set","params":{"tasks":["0cb1339c05800000"],"settings":{"tries":3,"stall_timeout":0.25,"headers":{"A":["b","c"]},"umask":"022","user":"u","password":"p","url":null}}}"#,
      #"{"jsonrpc":"2.0","method":"limit","params":{"limits":{"active_files":2,"requests_per_second":0.5,"connections":null}}}"#,
      #"{"jsonrpc":"2.0","id":null,"method":"add","params":{"requests":[{"url":["https://u:p@h/f","http://g/f"],"out":"f","dir":"/d","size":3,"checksum":{"sha-256":"00"},"headers":{"Cookie":"c"},"info":{"k":"v"},"key":"k","settings":{"tries":1},"bearer":"t"}]}}"#,
    ]
    return [
      FuzzTarget(name: "control", samples: samples.map { Array("\($0)\n\($0)\r\n".utf8) }) { input in
        var whole = LineReader(limit: 2048)
        var divided = LineReader(limit: 2048)
        let lines = whole.take(input.text)
        var again: [LineReader.Line] = []
        input.forEachPart { again += divided.take(Array($0)) }
        require(again == lines && whole.hasEnded == divided.hasEnded, "parts change what is read")
        for case .whole(let line) in lines {
          require(line.count <= 2048, "a line that is too long")
          check(line)
        }
      }
    ]
  }

  private static func check(_ line: [UInt8]) {
    let request: ControlRequest
    do { request = try ControlRequest(line: line) } catch {
      // The refusal is JSON, whatever the line was.
      checkReply(ControlReply.line(id: ControlRequest.id(ofFailed: line), .failure(error)))
      return
    }
    checkReply(ControlReply.line(id: request.id ?? Array("null".utf8), .success(Array("{}".utf8))))
    let parameters = ControlParameters(request.parameters)
    if let settings = try? parameters.settings() {
      require(
        DownloadSettings(control: parsed(settings.controlText)) == settings, "settings \(settings.controlText.string)")
    }
    if let limits = try? parameters.limits() {
      require(
        DownloadLimits(json: parsed(limits.controlText))?.controlText.string == limits.controlText.string,
        "limits \(limits.controlText.string)")
    }
    _ = try? parameters.tasks()
    for selector in (try? parameters.selectors()) ?? [] {
      require((try? DownloadSelector(selector.text)) == selector, "the term \(selector.text)")
    }
    for case .success(let request) in (try? parameters.requests()) ?? [] {
      var object = JSONObject()
      object.add("requests", [request.controlText])
      let again = try? ControlParameters(parsed(object)).requests().first?.get()
      require(again == request, "the request \(request.controlText.string)")
    }
  }

  private static func checkReply(_ line: [UInt8]) {
    require(line.last == UInt8(ascii: "\n") && !line.dropLast().contains(UInt8(ascii: "\n")), "a reply is one line")
    require(ControlReply(line: Array(line.dropLast())) != nil, "a reply that no client reads")
  }

  private static func parsed(_ object: JSONObject) -> JSONValue {
    guard case .success(let value) = JSONValue.parse(object.text[...]) else { fatalError("no JSON: \(object.string)") }
    return value
  }
}

import DownloadCore
import DownloadEvents
import DownloadMetalink
import TestSupport
import Testing

@testable import CommandMain
@testable import DownloadLists
@testable import DownloadWords

@Suite struct `JSON lines` {
  @Test func `a run is reported in the documented objects`() {
    let captured = CapturedOutput()
    let display = JSONDisplay(
      output: captured.output, words: nil, directory: Array("/d".utf8), clock: { 1_700_000_000_042 })
    display.began(itemCount: 2)
    display.read([
      ReadList(name: "L"),
      ReadList(name: "m.meta4", origin: MetalinkOrigin(url: Array("http://u:p@h/m?k=1".utf8), isDynamic: true)),
    ])
    display.itemStarted(0, name: Array("a".utf8), location: example("a"))
    display.noticed(
      Notice(task: 0, name: Array("a".utf8), level: .warning, .failed(Failure(.localIO, "say \"hi\"\n\\"))))
    var run = RunProgress()
    run.itemCount = 2
    run.rate = 1234.9
    run.elapsed = .milliseconds(250)
    run.active = [
      FileProgress(
        task: 0, name: [0x61, 0xff], phase: .receiving, completeLength: nil, doneByteCount: 5, rate: .infinity,
        steadyRate: 1, connectionCount: 1)
    ]
    display.progressed(run)
    display.itemEnded(
      Outcome(
        task: 0, name: Array("a".utf8), location: example("a"),
        result: .failed(Failure(.serverRefused, "404 of http://u:p@h", hint: "not http://u:p@h")), byteCount: 5,
        received: ReceivedBytes(5), status: 404, verified: nil,
        elapsed: .milliseconds(1050), source: SourceLine(list: "L", number: 3)))
    display.itemEnded(
      Outcome(
        task: 1, name: [0x62, 0xff], location: example("b"), result: .downloaded, byteCount: 6,
        received: ReceivedBytes(6), status: nil, verified: .found(ContentDigest(.md5, repeating: 171), .server),
        elapsed: .zero,
        source: nil))
    run.failedCount = 1
    display.ended(summary: run, status: .serverRefused, interrupted: false)
    let expected = #"""
      {"type":"start","time":"2023-11-14T22:13:20.042Z","version":2,"files":2}
      {"type":"list","time":"2023-11-14T22:13:20.042Z","list":"L","origin":null,"dynamic":null}
      {"type":"list","time":"2023-11-14T22:13:20.042Z","list":"m.meta4","origin":"http://…@h/m?…","dynamic":true}
      {"type":"item_start","time":"2023-11-14T22:13:20.042Z","item":0,"name":"a","url":"https://example.org/a"}
      {"type":"notice","time":"2023-11-14T22:13:20.042Z","item":0,"name":"a","level":"warning","message":"say \"hi\"\u000a\\"}
      {"type":"progress","time":"2023-11-14T22:13:20.042Z","seconds":0.250,"files":2,"downloaded":0,"kept":0,"failed":0,"bytes_fetched":0,"bytes_done":0,"bytes_known":null,"rate":1234,"connections":0,"active":[{"item":0,"name":"a�","name_bytes":"61ff","phase":"receiving","bytes_done":5,"size":null,"rate":9000000000000000000,"connections":1}]}
      {"type":"item_end","time":"2023-11-14T22:13:20.042Z","item":0,"name":"a","path":"/d/a","url":"https://example.org/a","outcome":"failed","bytes_done":5,"bytes_fetched":5,"http_status":404,"digest":null,"error":{"code":"server_refused","message":"404 of http://…@h","hint":"not http://…@h"},"final_url":null,"mirrors":[],"retries":0,"seconds":1.050,"started":"2023-11-14T22:13:18.992Z","source":{"list":"L","line":3}}
      {"type":"item_end","time":"2023-11-14T22:13:20.042Z","item":1,"name":"b�","name_bytes":"62ff","path":"/d/b�","path_bytes":"2f642f62ff","url":"https://example.org/b","outcome":"downloaded","bytes_done":6,"bytes_fetched":6,"http_status":null,"digest":{"algorithm":"md5","value":"abababababababababababababababab","from":"server"},"error":null,"final_url":null,"mirrors":[],"retries":0,"seconds":0.000,"started":"2023-11-14T22:13:20.042Z","source":null}
      {"type":"end","time":"2023-11-14T22:13:20.042Z","status":8,"interrupted":false,"seconds":0.250,"files":2,"downloaded":0,"kept":0,"failed":1,"bytes_fetched":0,"unfinished":0,"not_started":0,"failures":[{"code":"server_refused","message":"the server refused the request","count":1,"names":["a"]}]}

      """#
    #expect(captured.text() == expected)
  }

  @Test func `a path from elsewhere stands alone, and standard output has none`() {
    for (directory, name, path) in [
      ("/d", "/x/y", "\"/x/y\""), ("", "a", "\"/a\""), ("/d", "b/a", "\"/d/b/a\""), (nil, "-", "null"),
    ] as [(String?, String, String)] {
      let captured = CapturedOutput()
      let display = JSONDisplay(output: captured.output, words: nil, directory: directory.map { Array($0.utf8) })
      display.itemEnded(
        Outcome(
          task: 0, name: Array(name.utf8), location: example("a"), result: .kept, byteCount: 0,
          received: ReceivedBytes(),
          status: nil, verified: nil, elapsed: .zero, source: nil))
      display.ended(summary: RunProgress(), status: .success, interrupted: false)
      #expect(captured.text().contains("\"path\":\(path),"))
    }
  }

  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (951_782_400_999, "2000-02-29T00:00:00.999Z"),
      (253_402_300_799_001, "9999-12-31T23:59:59.001Z"),
    ] as [(Int64, String)])
  func `times are in UTC with milliseconds`(milliseconds: Int64, text: String) {
    #expect(Timestamp.text(milliseconds: milliseconds) == text)
  }

  @Test func `progress comes at most about four times a second`() {
    let captured = CapturedOutput()
    let display = JSONDisplay(
      output: captured.output, words: nil, directory: Array("/d".utf8), clock: { 1_700_000_000_042 })
    for step in 0..<100 {
      var run = RunProgress()
      run.elapsed = .milliseconds(10 * step)
      display.progressed(run)
    }
    #expect(captured.text().split(separator: "\n").count <= 5)
  }

  @Test func `every byte of a name is encoded as a valid string`() {
    for byte in UInt8.min...UInt8.max where byte != 0 {
      var object = JSONObject()
      object.add(.name, bytes: [byte])
      let text = String(decoding: object.text, as: UTF8.self)
      #expect(!text.unicodeScalars.contains { $0.value < 0x20 })
      #expect(text.hasPrefix("{\"name\":\"") && text.hasSuffix("\"}"))
      #expect(text.contains("name_bytes") == (byte >= 0x80))
    }
  }

  @Test func `failures are also written as text if objects go to a file`() {
    let objects = CapturedOutput()
    let words = CapturedOutput()
    let display = JSONDisplay(
      output: objects.output, words: LinesDisplay(output: words.output, level: .warnings), directory: nil)
    display.noticed(Notice(task: nil, name: nil, level: .note, .failed(Failure(.localIO, "http://u:p@h/f?q"))))
    #expect(objects.text().isEmpty)
    display.noticed(Notice(task: nil, name: nil, level: .warning, .failed(Failure(.localIO, "a warning"))))
    #expect(words.text() == "swiftget: warning: a warning\n")
    display.ended(summary: RunProgress(), status: .success, interrupted: false)
    #expect(objects.text().contains("\"message\":\"http://…@h/f?…\""), "\(objects.text())")
  }
}

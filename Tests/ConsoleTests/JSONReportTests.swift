import DownloadCore
import TestSupport
import Testing

@testable import Console

@Suite struct `JSON lines` {
  @Test func `a run is reported in the documented objects`() {
    let captured = CapturedOutput()
    let report = JSONReport(output: captured.output, words: nil)
    report.began(itemCount: 2)
    report.itemStarted(0, name: Array("a".utf8), location: example("a"))
    report.noticed(
      Notice(item: 0, name: Array("a".utf8), level: .warning, .failed(DownloadError(.localIO, "say \"hi\"\n\\"))))
    var run = RunProgress()
    run.itemCount = 2
    run.rate = 1234.9
    run.elapsed = .milliseconds(250)
    run.active = [
      FileProgress(
        item: 0, name: [0x61, 0xff], phase: .receiving, completeLength: nil, doneByteCount: 5, rate: .infinity,
        connectionCount: 1)
    ]
    report.progressed(run)
    report.itemEnded(
      Outcome(
        item: 0, name: Array("a".utf8), location: example("a"),
        result: .failed(DownloadError(.serverRefused, "404 of http://u:p@h", hint: "not http://u:p@h")), byteCount: 5,
        receivedByteCount: 5, verified: nil,
        elapsed: .milliseconds(1050), source: SourceLine(list: "L", number: 3)))
    report.itemEnded(
      Outcome(
        item: 1, name: Array("b".utf8), location: example("b"), result: .downloaded, byteCount: 6,
        receivedByteCount: 6, verified: .found(ContentDigest(.md5, repeating: 171), .server),
        elapsed: .zero,
        source: nil))
    run.failedCount = 1
    report.ended(summary: run, status: .serverRefused, interrupted: false)
    let expected = #"""
      {"event":"start","version":1,"items":2}
      {"event":"item-start","item":0,"name":"a","url":"https://example.org/a"}
      {"event":"notice","item":0,"name":"a","level":"warning","text":"say \"hi\"\u000a\\"}
      {"event":"progress","seconds":0.250,"items":2,"downloaded":0,"kept":0,"failed":0,"received":0,"done":0,"known":null,"rate":1234,"connections":0,"active":[{"item":0,"name":"a�","name_bytes":"61ff","phase":"receiving","done":5,"length":null,"rate":9000000000000000000,"connections":1}]}
      {"event":"item-end","item":0,"name":"a","url":"https://example.org/a","result":"failed","bytes":5,"received":5,"verified":null,"verified-by":null,"seconds":1.050,"source":"L:3","error":{"code":"serverRefused","message":"404 of http://…@h","hint":"not http://…@h"}}
      {"event":"item-end","item":1,"name":"b","url":"https://example.org/b","result":"downloaded","bytes":6,"received":6,"verified":"md5:abababababababababababababababab","verified-by":"server","seconds":0.000,"source":null}
      {"event":"end","status":8,"interrupted":false,"seconds":0.250,"items":2,"downloaded":0,"kept":0,"failed":1,"received":0,"unfinished":0,"unstarted":0}

      """#
    #expect(captured.text() == expected)
  }

  @Test func `progress comes at most about four times a second`() {
    let captured = CapturedOutput()
    let report = JSONReport(output: captured.output, words: nil)
    for step in 0..<100 {
      var run = RunProgress()
      run.elapsed = .milliseconds(10 * step)
      report.progressed(run)
    }
    #expect(captured.text().split(separator: "\n").count <= 5)
  }

  @Test func `every byte of a name is encoded as a valid string`() {
    for byte in UInt8.min...UInt8.max where byte != 0 {
      var object = JSONObject()
      object.add(name: [byte])
      let text = String(decoding: object.text, as: UTF8.self)
      #expect(!text.unicodeScalars.contains { $0.value < 0x20 })
      #expect(text.hasPrefix("{\"name\":\"") && text.hasSuffix("\"}"))
      #expect(text.contains("name_bytes") == (byte >= 0x80))
    }
  }

  @Test func `failures are also written as text if objects go to a file`() {
    let objects = CapturedOutput()
    let words = CapturedOutput()
    let report = JSONReport(output: objects.output, words: LinesReport(output: words.output, level: .warnings))
    report.noticed(Notice(item: nil, name: nil, level: .note, .failed(DownloadError(.localIO, "http://u:p@h/f?q"))))
    #expect(objects.text().isEmpty)
    report.noticed(Notice(item: nil, name: nil, level: .warning, .failed(DownloadError(.localIO, "a warning"))))
    #expect(words.text() == "swiftget: warning: a warning\n")
    report.ended(summary: RunProgress(), status: .success, interrupted: false)
    #expect(objects.text().contains("\"text\":\"http://…@h/f?…\""), "\(objects.text())")
  }
}

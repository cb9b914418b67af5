import DownloadCore
import Testing

@testable import CommandDisplay
@testable import CommandMain
@testable import DownloadWords

@Suite struct `Time left` {
  private func run(done: Int64, of length: Int64, rate: Double, at seconds: Double) -> RunProgress {
    var run = RunProgress()
    run.itemCount = 1
    run.active = [
      FileProgress(
        task: 3, name: [], phase: .receiving, completeLength: length, doneByteCount: done, rate: 0, steadyRate: rate,
        connectionCount: 1)
    ]
    run.doneByteCount = done
    run.knownByteCount = length
    run.steadyRate = rate
    run.elapsed = .seconds(seconds)
    return run
  }

  @Test func `a time left counts down while estimates vary a little`() {
    var forecast = Forecast()
    for step in 0..<20 {
      let noise = step % 2 == 0 ? 1.05 : 0.95
      forecast.update(run(done: Int64(step * 1000), of: 100_000, rate: 1000 * noise, at: Double(step)), itemCount: 1)
      #expect(forecast.timeLeft.map(Humanized.timeLeft) == Humanized.timeLeft(.seconds(100 / 1.05 - Double(step))))
      #expect(forecast.timeLeft(of: 3) == forecast.timeLeft)
    }
  }

  @Test func `another rate gives another time left`() {
    var forecast = Forecast()
    forecast.update(run(done: 0, of: 100_000, rate: 1000, at: 1), itemCount: 1)
    forecast.update(run(done: 1000, of: 100_000, rate: 500, at: 2), itemCount: 1)
    #expect(forecast.timeLeft == .seconds(198))
  }

  @Test func `nothing is told without a rate, a length or a count`() {
    var forecast = Forecast()
    forecast.update(run(done: 0, of: 100_000, rate: 0.5, at: 1), itemCount: 1)
    #expect(forecast.timeLeft == nil && forecast.timeLeft(of: 3) == nil)
    var unknown = run(done: 0, of: 100_000, rate: 10, at: 1)
    unknown.knownByteCount = nil
    unknown.active[0].completeLength = nil
    forecast.update(unknown, itemCount: 1)
    #expect(forecast.timeLeft == nil && forecast.timeLeft(of: 3) == nil)
    var uncounted = run(done: 0, of: 100_000, rate: 10, at: 1)
    uncounted.itemCount = nil
    forecast.update(uncounted, itemCount: nil)
    #expect(forecast.timeLeft == nil)
  }

  @Test func `the run lasts as long as its longest file`() {
    var forecast = Forecast()
    var run = run(done: 0, of: 100_000, rate: 100, at: 1)
    run.steadyRate = 100_000
    forecast.update(run, itemCount: 1)
    #expect(forecast.timeLeft == .seconds(1000) && forecast.timeLeft(of: 3) == .seconds(1000))
  }

  @Test func `while lengths are unknown, files per second tell the time`() {
    var forecast = Forecast()
    var run = run(done: 0, of: 1, rate: 0, at: 0)
    run.active[0].completeLength = nil
    run.knownByteCount = nil
    for second in 0...40 {
      run.elapsed = .seconds(second)
      run.downloadedCount = second / 2
      run.failedCount = second - second / 2
      forecast.update(run, itemCount: 3000)
      if second < 10 { #expect(forecast.timeLeft == nil, "ten files have not ended") }
    }
    let left = forecast.timeLeft?.inSeconds ?? 0
    #expect(abs(left - 2960) < 30 && forecast.isGuess, "\(left)")
  }

  @Test func `extreme lengths and rates do not trap`() {
    var forecast = Forecast()
    for (done, length, rate) in [
      (0, Int64.max, 1.0), (Int64.max, 0, .infinity), (0, .max, .nan), (5, 5, .greatestFiniteMagnitude),
    ] as [(Int64, Int64, Double)] {
      forecast.update(run(done: done, of: length, rate: rate, at: 1), itemCount: 1)
      _ = forecast.timeLeft.map(Humanized.timeLeft)
    }
  }
}

import Testing

@testable import DownloadCore

@Suite struct `Redirects of a mirror` {
  private let origin = Location(scheme: .https, host: "a", port: 443, path: "/f", query: nil)
  private let target = Location(scheme: .https, host: "b", port: 443, path: "/t", query: nil)
  private let plain = Location(scheme: .http, host: "b", port: 80, path: "/t", query: nil)

  private func refusal(
    _ redirects: Redirects, of next: Location?, limit: Int = 9, hasGivenDigests: Bool = false
  ) -> TransferFault? {
    do throws(TransferFault) {
      let checked = try redirects.checked(next, limit: limit, hasGivenDigests: hasGivenDigests)
      #expect(checked == next)
      return nil
    } catch {
      return error
    }
  }

  @Test func `a target is requested until it expires`() {
    var redirects = Redirects(original: origin)
    redirects.followed(from: origin, to: target)
    #expect(!redirects.mayHaveExpired(at: target) && !redirects.mayHaveExpired(at: origin))
    redirects.servedContent()
    #expect(redirects.location == target && redirects.locationHasServed && redirects.mayHaveExpired(at: target))
    redirects.expired(at: target)
    #expect(redirects.location == origin && !redirects.locationHasServed)
    // A concurrent transfer may still ask the expired target, and the original URL may name it again for a while.
    #expect(redirects.mayHaveExpired(at: target) && !redirects.mayHaveExpired(at: origin))
    redirects.followed(from: origin, to: target)
    #expect(redirects.mayHaveExpired(at: target))
  }

  @Test(arguments: [(Int64(65_535), false), (65_536, true)])
  func `a target that brought ample content may expire`(byteCount: Int64, mayExpire: Bool) {
    var redirects = Redirects(original: origin)
    redirects.brought(1 << 20)
    redirects.followed(from: origin, to: target)
    redirects.brought(byteCount - 1)
    redirects.brought(1)
    let hasServed = redirects.expired(at: target)
    #expect(hasServed == mayExpire && redirects.location == origin)
    let isKnown = redirects.expired(at: target)
    #expect(isKnown, "a concurrent transfer has found out")
    redirects.followed(from: origin, to: target)
    let hasServedAgain = redirects.expired(at: target)
    #expect(!hasServedAgain, "a new target begins anew")
  }

  @Test func `the first of several concurrent redirects or expirations counts`() {
    var redirects = Redirects(original: origin)
    redirects.followed(from: origin, to: target)
    redirects.followed(from: origin, to: plain)
    #expect(redirects.location == target)
    redirects.expired(at: origin)
    #expect(redirects.location == target)
  }

  @Test func `the number of hops is limited until there is progress`() {
    var redirects = Redirects(original: origin)
    for _ in 0..<2 {
      #expect(refusal(redirects, of: target, limit: 2) == nil)
      redirects.followed(from: redirects.location, to: target)
    }
    #expect(refusal(redirects, of: target, limit: 2, hasGivenDigests: true) == .tooManyRedirects(2))
    redirects.madeProgress()
    #expect(refusal(redirects, of: target, limit: 2, hasGivenDigests: true) == nil)
  }

  @Test func `a redirect from https to http needs a given digest, and other schemes are refused`() {
    var redirects = Redirects(original: origin)
    #expect(refusal(redirects, of: plain) == .insecureRedirect(to: "http://b/t"))
    #expect(refusal(redirects, of: plain, hasGivenDigests: true) == nil)
    redirects.followed(from: origin, to: plain)
    #expect(refusal(redirects, of: plain) == nil, "it is http already")
    #expect(refusal(redirects, of: nil, hasGivenDigests: true) == .redirectRefused, "no http or https URL")
  }

  @Test func `an unreachable or untrusted target is left, not the mirror`() {
    for fault in [TransferFault.connectRefused(), .tlsVerification("expired")] {
      var redirects = Redirects(original: origin)
      let own = redirects.failed(fault, at: origin)
      #expect(own == fault)
      redirects.followed(from: origin, to: target)
      let counted = redirects.failed(fault, at: target)
      #expect(counted.kind != .permanent && redirects.location == origin)
    }
    var redirects = Redirects(original: origin)
    redirects.followed(from: origin, to: target)
    let stalled = redirects.failed(.stalled, at: target)
    #expect(stalled == .stalled && redirects.location == target)
  }
}

import DownloadCore
import TestSupport
import Testing

/// What goes where along random redirects. The oracle looks at secrets, not at rules: each names whom it is for.
@Suite struct `The scope of credentials` {
  private static let hosts = ["a", "b", "c"]

  private static func location(_ generator: inout SeededGenerator) -> Location {
    let scheme: Location.Scheme = Bool.random(using: &generator) ? .http : .https
    let port = Int.random(in: 0..<4, using: &generator) == 0 ? 8080 : scheme.usualPort
    return Location(scheme: scheme, host: hosts.randomElement(using: &generator)!, port: port, path: "/", query: nil)
  }

  @Test func `a request carries what its own URL, its entry and the run have for the origin, and nothing else`() {
    let seed = UInt64.random(in: 0 ... .max)
    var generator = SeededGenerator(seed: seed)
    for round in 0..<3000 {
      // A secret is `OWNER@ORIGIN`.
      let mirrors = (0..<Int.random(in: 1...3, using: &generator)).map { index in
        let location = Self.location(&generator)
        let isBare = Bool.random(using: &generator)
        return MirrorURL(location: location, userinfo: isBare ? nil : "mirror\(index)@\(location.origin.text)")
      }
      var request = FileRequest(task: 0, mirrors: mirrors, target: .standardOutput, headers: ["X: entry"])
      request.isNamedByUser = Bool.random(using: &generator)
      let named = Set((0..<Int.random(in: 0...2, using: &generator)).map { _ in Self.location(&generator).origin })
      // One more than there are: a mirror that an answer named.
      let mirror = Int.random(in: 0...mirrors.count, using: &generator)
      let asked =
        mirror < mirrors.count && Bool.random(using: &generator) ? mirrors[mirror].location : Self.location(&generator)
      let scope = CredentialScope(of: request, mirror: mirror, at: asked.origin, named: named)
      let note = Comment(rawValue: "seed \(seed), round \(round): \(mirrors), \(mirror), \(asked.origin.text)")

      let isOfEntry = mirrors.contains { $0.location.origin == asked.origin }
      if let userinfo = scope.userinfo { #expect(userinfo == "mirror\(mirror)@\(asked.origin.text)", note) }
      #expect(scope.headers.isEmpty || isOfEntry && request.isNamedByUser, note)
      #expect(scope.isNamedByUser == (named.contains(asked.origin) || isOfEntry && request.isNamedByUser), note)
      // And what belongs there is not lost.
      if mirror < mirrors.count, mirrors[mirror].location.origin == asked.origin, request.isNamedByUser {
        #expect(scope.userinfo == mirrors[mirror].userinfo && scope.headers == request.headers, note)
      }
    }
  }
}

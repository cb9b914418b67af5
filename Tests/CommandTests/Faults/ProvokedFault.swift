import TestSupport

/// A run of the program with a network fault. `NetworkFault.table` has the expected results.
struct ProvokedFault: Sendable {
  let name: String
  /// Runs with two tries.
  /// - Returns: the result, and the number of requests to the test's server.
  let run: @Sendable (Workplace) throws -> (ProgramResult, requests: Int?)

  /// A server that answers every request with these steps.
  private static func served(_ name: String, arguments: [String] = [], _ steps: Step...) -> ProvokedFault {
    ProvokedFault(name: name) { place in
      let server = try ScriptedServer { _ in steps }
      let result = try place.run(place.invocation(["-t", "2", "-T", "1"] + arguments + [server.url("/f")]))
      return (result, server.requests.count)
    }
  }

  private static func unserved(
    _ name: String, _ url: @escaping @Sendable () throws -> String, _ arguments: String...
  ) -> ProvokedFault {
    ProvokedFault(name: name) { place in
      (try place.run(place.invocation(["-t", "2"] + arguments + [url()])), nil)
    }
  }

  private static let cut = responseHead(200, [("Content-Length", "1000")]) + Array("abc".utf8)

  static let table: [ProvokedFault] = [
    unserved("no such name", { "http://nothing.invalid/f" }),
    unserved("no such proxy", { "http://127.0.0.1/f" }, "--proxy", "http://nothing.invalid:8080"),
    ProvokedFault(name: "a port without a listener") { place in
      let port = try RefusingPort()
      return (try place.run("-t", "2", port.url("/f")), nil)
    },
    served("a silent server", .stall(nil)),
    ProvokedFault(name: "https to a plain server") { place in
      let server = try RealServer.nginx { _ in }
      return (try place.run("-t", "2", server.url("/f").replacing("http:", with: "https:")), nil)
    },
    ProvokedFault(name: "an untrusted certificate") { place in
      let server = try RealServer.nginx { $0.speaksTLS = true }
      return (try place.run("-t", "2", server.url("/f")), nil)
    },
    ProvokedFault(name: "--cacert without a certificate") { place in
      let server = try RealServer.nginx { $0.speaksTLS = true }
      try place.directory.write("none.pem", "nothing\n")
      return (try place.run("-t", "2", "--cacert", "none.pem", server.url("/f")), nil)
    },
    ProvokedFault(name: "--cert without a certificate") { place in
      let server = try RealServer.nginx { $0.speaksTLS = true }
      try place.directory.write("none.pem", "nothing\n")
      return (
        try place.run("-t", "2", "--insecure", "--cert", "none.pem", "--key", "none.pem", server.url("/f")), nil
      )
    },
    served("a body that is cut", .send(cut), .close),
    served("closed without an answer", .close),
    served("reset in the body", .send(cut), .stall(.milliseconds(100)), .reset),
    served("another protocol", .send("SSH-2.0-OpenSSH_9.2\r\n\r\n"), .close),
    served("HTTP/0.9", .send("<html>no head at all</html>"), .close),
  ]
}

internal import DownloadCore
internal import Glibc

/// The sentences of failures, short: what failed and why.
enum FailureWords {
  static func message(_ cause: Failure.Cause) -> String {
    switch cause {
    case .local(let failure): "cannot \(operation(failure.operation)): \(SystemWords.reason(failure.errno))"
    case .spaceShort(let needed, _, let space):
      "not enough space: \(needed) bytes are needed, \(space.free) bytes are free"
    case .spaceExhausted(let space): "not enough space: \(space.free) bytes are free"
    case .foreignFile(let file):
      "\(String(decoding: file.name, as: UTF8.self)) is no file of swiftget's, so it is left alone"
    case .locked(let process): "another download works on the file" + (process.map { " (PID \($0))" } ?? "")
    case .targetTaken(let obstacle): taken(by: obstacle)
    case .targetDiffers(let length, let remote):
      "the file exists with \(length) bytes, but "
        + (remote.map { "the server has \($0) bytes" } ?? "the server reports no size")
    case .targetOfOtherURL: "the file exists from another URL, and the server's file differs"
    case .answerUnidentified: "the answer has no validator, but the existing file was downloaded with one"
    case .partLengthChanged, .partReplaced: "another program changed the part file"
    case .digestUnavailable: "OpenSSL does not provide the checksum's algorithm"
    case .threadsUnavailable: "cannot create a thread"
    case .transfer(let fault, let location, let attempts, let target):
      "\(location.redacted): " + (target.map { "redirected to \($0.text): " } ?? "") + message(fault)
        + (attempts < 2 ? "" : " (\(attempts) attempts without progress)")
    case .keepsChanging: "the file keeps changing on the server"
    case .mismatch(let mismatch, let failures): "the checksum failed \(failures) times: \(told(mismatch))"
    case .unconfirmed: "the server does not tell the length, and two downloads differ"
    case .outputMismatch(let mismatch): told(mismatch)
    case .outputChanged, .outputPieceWrong, .outputPieceCount: "the output is not what it should be"
    case .rejected: "the file was rejected"
    case .changedByJudge: "the file was changed while it was validated"
    case .unjudged, .undecided: "a question about the file was not answered"
    case .streamUnjudged: "a stream cannot be validated"
    case .deadline(_, let hasReceived):
      hasReceived ? "not finished within the longest time" : "no data within the longest time"
    case .runDeadline, .signal: "the session was stopped"
    case .impossible(let event, let phase): "internal error: \(event) while \(phase)"
    case .worded(_, let message, _, _): message
    }
  }

  private static func operation(_ operation: LocalFailure.Operation) -> String {
    switch operation {
    case .createDirectory: "create the directory"
    case .useDirectory: "use the directory"
    case .writeDirectory: "create a file in the directory"
    case .inspectTarget: "inspect the target file"
    case .openSidecar: "open the sidecar"
    case .writeSidecar: "write the sidecar"
    case .openPart: "open the part file"
    case .writePart: "write the part file"
    case .readPart: "read the part file"
    case .syncContent: "sync the data to disk"
    case .nameTarget: "rename the part file to its final name"
    case .removeSidecar: "remove the sidecar"
    case .syncDirectory: "sync the directory"
    case .writeOutput: "write the output"
    case .saveCookies: "save the cookies"
    }
  }

  private static func taken(by obstacle: TargetObstacle) -> String {
    switch obstacle {
    case .directory: "a directory has this name"
    case .symbolicLink: "a symbolic link has this name"
    case .file: "the file already exists"
    case .unmarkedFile: "the server gives the name of an existing file, which did not come from this URL"
    case .otherPart: "the server gives the name of another unfinished download"
    case .special: "a pipe, socket or device has this name"
    case .newFile: "a file with this name appeared during the download"
    case .foreignFile: "a file of somebody else has this name"
    case .otherRequest: "another file of this session has this name"
    }
  }

  private static func told(_ mismatch: DigestMismatch) -> String {
    let actual = mismatch.actual
    return "the \(actual.algorithm.rawValue) is \(actual.hex), expected \(mismatch.expected.hex)"
  }

  static func message(_ fault: TransferFault) -> String {
    switch fault {
    case .nameLookup(let detail), .unknownHost(let detail): "name lookup failed: \(detail)"
    case .connectRefused(let address, _): "connection refused" + (address.map { " by \($0)" } ?? "")
    case .connectTimeout: "connection timed out"
    case .connectFailed(let detail): "cannot connect: \(detail)"
    case .tlsHandshake(let detail): "TLS handshake failed: \(detail)"
    case .tlsVerification(let detail), .untrustedRedirect(let detail): "TLS verification failed: \(detail)"
    case .tlsFiles(let detail): "cannot use a certificate or key: \(detail)"
    case .keptConnectionClosed, .emptyReply: "the server closed the connection without an answer"
    case .reset(let detail): "connection lost: \(detail)"
    case .stalled: "no data within the time for a stall"
    case .shortBody: "the transfer ended before the end of the file"
    case .unauthenticatedEnd: "the connection closed without close_notify: the file may be truncated"
    case .status(let code), .rateLimited(let code), .expiredRedirect(let code), .refusedOverHTTP1(let code):
      "the server returned \(code)"
    case .foreignPage(let host): "a redirect leads to an HTML page of \(host)"
    case .credentialsRefused(let code): "the server refused the credentials (\(code))"
    case .protocolViolation: "the server's answer is invalid"
    case .tooManyRedirects(let limit): "more than \(limit) redirects"
    case .redirectRefused: "a redirect leads to no http or https URL"
    case .insecureRedirect(let target): "a redirect leads from https to \(target)"
    case .proxy(let detail): "proxy: \(detail)"
    case .proxyStatus(let code): "the proxy returned \(code)"
    case .tooLarge(let limit): "the file is larger than \(limit) bytes"
    case .coded(let coding): "the server sent the content in the coding \(coding)"
    case .wrongLength(let expected, let announced): "the size is \(announced) bytes, expected \(expected)"
    case .wrongContent: "the content does not match the checksum"
    case .digestUnavailable: "the checksum of a second download cannot be computed"
    case .local(let detail): "libcurl: \(detail)"
    }
  }
}

/// The system's words.
enum SystemWords {
  /// `No space left on device`, for a number as in errno(3).
  static func reason(_ errno: Int32) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      guard let base = buffer.baseAddress, strerror_r(errno, base, buffer.count) == 0 else { return "error \(errno)" }
      return String(cString: base)
    }
  }
}

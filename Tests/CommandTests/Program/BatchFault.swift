import TestSupport

/// A way in which files of a large batch fail until its cause is removed.
///
/// The name of a case is also the directory of its files, in URLs and in targets.
enum BatchFault: String, CaseIterable {
  // What nginx answers until the file is there.
  case missing, gone, forbidden, unauthorized, broken, busy, looping, toFTP
  // What nginx serves in place of the file.
  case wrongContent, wrongSize, tooLarge
  // Where no server answers.
  case refused, unknownHost, untrusted
  // What is in the way here.
  case obstructed, parentIsFile, ownFile
  // What only a scripted server does.
  case truncated, changing

  /// 100 files in all.
  var fileCount: Int { self == .missing ? 10 : 5 }

  /// The code in the report.
  var code: String {
    switch self {
    case .missing, .gone, .forbidden: "server_refused"
    case .unauthorized: "authentication"
    case .broken, .busy, .refused, .unknownHost, .truncated: "network"
    case .looping, .toFTP: "protocol_violation"
    case .wrongContent, .wrongSize, .tooLarge, .ownFile, .changing: "integrity"
    case .untrusted: "tls"
    case .obstructed, .parentIsFile: "local_io"
    }
  }

  /// The cause in the counts at the end.
  var cause: String {
    switch self {
    case .missing: "the server returned 404 Not Found"
    case .gone: "the server returned 410 Gone"
    case .forbidden: "the server returned 403 Forbidden"
    case .unauthorized: "the server returned 401 Unauthorized"
    case .broken: "the server returned 500 Internal Server Error"
    case .busy: "the server returned 503 Service Unavailable"
    case .looping: "too many redirects"
    case .toFTP: "redirect refused"
    case .wrongContent: "the content does not match"
    case .wrongSize: "the size differs from the list"
    case .tooLarge: "larger than the limit"
    case .refused: "connection refused"
    case .unknownHost: "name lookup failed"
    case .untrusted: "TLS verification failed"
    case .obstructed: "a directory has this name"
    case .parentIsFile: "Not a directory"
    case .ownFile: "the file already exists with another size"
    case .truncated: "connection lost or no usable response"
    case .changing: "the file keeps changing on the server"
    }
  }

  /// nginx, for the paths that it serves once there is a file.
  static let directives = """
    location /gone/ { try_files $uri =410; }
    location /forbidden/ { try_files $uri =403; }
    location /unauthorized/ { try_files $uri =401; }
    location /broken/ { try_files $uri =500; }
    location /busy/ { try_files $uri =503; }
    location /looping/ { try_files $uri @itself; }
    location /toFTP/ { try_files $uri @ftp; }
    location @itself { return 302 $request_uri; }
    location @ftp { return 302 ftp://example.org$request_uri; }
    """
}

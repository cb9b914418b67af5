import CSwiftGetCurl
import CSwiftGetShims

/// The process-wide initialization of libcurl, required before all other functions of this module.
package enum CurlGlobal {
  /// Call on the main thread before any other thread is started.
  package static func start() {
    _ = started
  }

  private static let started: Void = {
    // OpenSSL's exit handler races with threads that still free handles.
    _ = shim_tls_without_atexit()
    curl_global_init(Int(CURL_GLOBAL_DEFAULT))
  }()

  /// `libcurl/7.88.1 OpenSSL/3.0.19 …`
  package static var version: String { String(cString: curl_version()) }
}

import CSwiftGetCurl
import CSwiftGetShims
import Glibc

/// The cookies of a run: libcurl's cookie engine in the share handle of all exchanges.
///
/// libcurl stores what answers set and decides by domain, path, scheme and expiry which cookies a request gets. It
/// rejects cookies for public suffixes where it is built with libpsl. One thread, the loop's.
struct CookieStore {
  private let share: UnsafeMutableRawPointer

  /// - Parameters:
  ///   - share: owned by the caller; no easy handle uses it yet.
  ///   - cookies: lines of a `CookieFile`.
  init(_ share: UnsafeMutableRawPointer, loading cookies: [[UInt8]]) {
    self.share = share
    _ = shim_share_data(share, CURL_LOCK_DATA_COOKIE)
    guard !cookies.isEmpty else { return }
    withHandle { handle in
      for cookie in cookies {
        (cookie + [0]).withUnsafeBytes {
          _ = shim_easy_set_string(handle, CURLOPT_COOKIELIST, $0.baseAddress?.assumingMemoryBound(to: CChar.self))
        }
      }
    }
  }

  /// All cookies, session cookies included, as lines of a `CookieFile`. Some may have expired.
  var lines: [[UInt8]] {
    withHandle { handle in
      var list: UnsafeMutablePointer<curl_slist>?
      guard shim_easy_get_list(handle, CURLINFO_COOKIELIST, &list) == CURLE_OK else { return [] }
      defer { curl_slist_free_all(list) }
      var lines: [[UInt8]] = []
      var next = list
      while let entry = next {
        if let data = entry.pointee.data {
          lines.append(UnsafeBufferPointer(start: data, count: strlen(data)).map { UInt8(bitPattern: $0) })
        }
        next = entry.pointee.next
      }
      return lines
    }
  }

  private func withHandle<Result>(_ body: (UnsafeMutableRawPointer) -> Result) -> Result {
    // Fails only without memory.
    let handle = curl_easy_init()!
    defer { curl_easy_cleanup(handle) }
    _ = shim_easy_set_share(handle, share)
    return body(handle)
  }
}

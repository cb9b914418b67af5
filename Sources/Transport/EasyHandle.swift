import CCurl
import CShims

/// An easy handle of libcurl, and what it is set up for: setting every option again for each exchange is measurable.
struct EasyHandle {
  let handle: UnsafeMutableRawPointer
  /// libcurl writes its words on a failure here.
  let errorBuffer: UnsafeMutablePointer<CChar>
  /// Nil where the handle has to be reset before another exchange uses it.
  var profile: ExchangeProfile?

  init() {
    // Only out of memory can fail here.
    handle = curl_easy_init()!
    errorBuffer = .allocate(capacity: Int(CURL_ERROR_SIZE))
    errorBuffer.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
  }

  func free() {
    curl_easy_cleanup(handle)
    errorBuffer.deallocate()
  }
}

/// A header list that libcurl keeps a pointer to.
final class HeaderList {
  private(set) var list: UnsafeMutablePointer<curl_slist>?

  init(_ lines: [String]) {
    for line in lines { list = curl_slist_append(list, line) }
  }

  deinit { curl_slist_free_all(list) }
}

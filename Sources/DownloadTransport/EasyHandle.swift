import CSwiftGetCurl
import CSwiftGetShims

/// An easy handle of libcurl, and what it is set up for: setting every option again for each exchange is measurable.
struct EasyHandle {
  let handle: UnsafeMutableRawPointer
  /// libcurl writes its words on a failure here.
  let errorBuffer: UnsafeMutablePointer<CChar>
  /// Nil where the handle has to be reset before another exchange uses it.
  var profile: ExchangeProfile?
  /// Owns lists that are set: libcurl keeps pointers to them.
  var listOwner: AnyObject?
  /// The header lines of all exchanges of the profile.
  var commonHeaders: HeaderList?
  /// The header lines that are set: libcurl keeps a pointer to them.
  var headers: HeaderList?

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
  /// The last of its own lines; those of `rest` follow.
  private var last: UnsafeMutablePointer<curl_slist>?
  private let rest: HeaderList?

  convenience init(_ lines: [String]) { self.init(lines.map { Array($0.utf8) }) }

  /// - Parameters:
  ///   - lines: bytes without NUL.
  ///   - rest: lines that follow, which this list shares.
  init(_ lines: [[UInt8]], before rest: HeaderList? = nil) {
    self.rest = rest
    for line in lines {
      (line + [0]).withUnsafeBytes {
        list = curl_slist_append(list, $0.assumingMemoryBound(to: CChar.self).baseAddress)
      }
    }
    last = list
    while let next = last?.pointee.next { last = next }
    if list == nil { list = rest?.list } else { last?.pointee.next = rest?.list }
  }

  deinit {
    guard let last else { return }
    last.pointee.next = nil
    curl_slist_free_all(list)
  }
}

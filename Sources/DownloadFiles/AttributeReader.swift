internal import Glibc

/// Reads attributes of a file that has a name.
///
/// It asks by the name, which takes one call for each attribute, and half of the time that opening the file takes. Where
/// the kernel cannot do that, it opens the file for the first attribute. The name may be given to another file between
/// two calls; the mark of another file fits neither the size nor the times that `ExistingTarget` compares it with.
struct AttributeReader: ~Copyable {
  private let place: TargetPlace
  private var descriptor: FileDescriptor?

  init(_ place: TargetPlace) { self.place = place }

  /// The value; nil where there is none or it cannot be read.
  mutating func read(_ name: AttributeName) -> [UInt8]? {
    if place.directory.readsNamedAttributes {
      do { return try FileAttributes.read(name, of: place) } catch {
        // A filter of system calls may answer EPERM to those that it does not know.
        guard error.errno == ENOSYS || error.errno == EPERM else { return nil }
        place.directory.readsNamedAttributes = false
      }
    }
    if descriptor == nil {
      // Should it be a pipe by now, O_NONBLOCK keeps the call from blocking.
      descriptor = try? SystemCalls.openat(place.directory.raw, place.name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    }
    guard let raw = descriptor?.raw else { return nil }
    return FileAttributes.read(name, of: raw)
  }
}

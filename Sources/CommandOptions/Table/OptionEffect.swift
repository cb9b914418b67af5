internal import DownloadCore

/// What an option does to the invocation that is being built, and how that is taken back.
///
/// Key paths are made when an option is applied: making those of all rows takes a tenth of the program's start.
struct OptionEffect: Sendable {
  /// Throws nothing but `Failure`.
  private let body: @Sendable (inout InvocationBuilder, OptionArgument) throws -> Void
  /// Makes of the invocation what it is without the option; nil where the option or its default value do that.
  let takeBack: (@Sendable (inout InvocationBuilder) -> Void)?

  init(
    _ body: @escaping @Sendable (inout InvocationBuilder, OptionArgument) throws -> Void,
    takeBack: (@Sendable (inout InvocationBuilder) -> Void)? = nil
  ) {
    (self.body, self.takeBack) = (body, takeBack)
  }

  func callAsFunction(_ builder: inout InvocationBuilder, _ argument: OptionArgument) throws(Failure) {
    do { try body(&builder, argument) } catch let error as Failure { throw error } catch {
      preconditionFailure("\(argument.spelling): \(error)")
    }
  }

  /// That of options that are read before the command line is understood.
  static var none: OptionEffect { OptionEffect { _, _ in } }

  /// Sets a property to this value. Another value, which another option has set, is not taken back.
  static func flag<Value: Equatable & Sendable>(
    _ path: @autoclosure @escaping @Sendable () -> WritableKeyPath<Invocation, Value> & Sendable, _ value: Value
  ) -> OptionEffect {
    OptionEffect { builder, _ in
      builder.invocation[keyPath: path()] = value
    } takeBack: { builder in
      if builder.invocation[keyPath: path()] == value { builder.reset(path()) }
    }
  }

  static func flag(
    _ path: @autoclosure @escaping @Sendable () -> WritableKeyPath<Invocation, Bool> & Sendable
  ) -> OptionEffect { flag(path(), true) }

  /// Sets a property to what the argument says.
  static func value<Value>(
    _ path: @autoclosure @escaping @Sendable () -> WritableKeyPath<Invocation, Value> & Sendable,
    _ read: @escaping @Sendable (OptionArgument) throws -> Value
  ) -> OptionEffect {
    OptionEffect {
      $0.invocation[keyPath: path()] = try read($1)
    } takeBack: {
      $0.reset(path())
    }
  }

  /// Adds what the argument says to a property. All of it is taken back.
  static func append<Element>(
    _ path: @autoclosure @escaping @Sendable () -> WritableKeyPath<Invocation, [Element]> & Sendable,
    _ read: @escaping @Sendable (OptionArgument) throws -> Element
  ) -> OptionEffect {
    OptionEffect {
      $0.invocation[keyPath: path()].append(try read($1))
    } takeBack: {
      $0.reset(path())
    }
  }
}

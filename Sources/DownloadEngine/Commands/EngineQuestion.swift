package import DownloadCore

/// What an engine asks before it goes on with a task, which waits for the answer. Others go on.
package enum EngineQuestion: Sendable {
  package enum Kind: Hashable, Sendable { case source, accept, validate, name }

  /// From where a file is fetched. It is asked at each beginning, before a server is.
  case source(UnbegunFile)
  /// Whether an answer may be the file. It is the first one with content since the file has begun, and nothing of it is stored
  /// yet.
  case accept(AnsweredFile)
  /// Whether a complete file, which matches its digests, may get its name.
  case validate(UnpublishedFile)
  /// How a file is to be called. Its first answer with content is there, and nothing is stored yet.
  case name(AnsweredFile)

  package var kind: Kind {
    switch self {
    case .source: .source
    case .accept: .accept
    case .validate: .validate
    case .name: .name
    }
  }
}

/// A file that is about to begin.
package struct UnbegunFile: Sendable {
  package let request: FileRequest
  /// Why servers have refused its last beginning, if that is why it begins again.
  package let refusal: Failure?
}

/// A complete file before it has its name.
package struct UnpublishedFile: Sendable {
  /// Of the part file. It must only be read.
  package let path: [UInt8]
  package let url: Location
  package let byteCount: Int64
  /// What judges it before all others; nil for none.
  let command: VerifyCommand?
}

/// A file that a server has answered.
package struct AnsweredFile: Sendable {
  package let request: FileRequest
  package let answer: ServerAnswer
  /// The value of its Content-Disposition field; nil without one.
  package let contentDisposition: [UInt8]?
}

/// The answer to a question.
package enum EngineDecision: Sendable, Equatable {
  /// Of `source`: this request for the same task and target. `accepted` leaves it as it is, and `rejected` fails the task.
  case use(FileRequest)
  /// Of `accept` and `validate`: it may.
  case accepted
  /// Of `validate`: the file is wrong. The task fails with this, and nothing of the file stays. Of `accept`: the task fails
  /// with this, and what is stored stays.
  case rejected(Failure)
  /// Of `name`: a name that `TargetName` has made; nil keeps that of the request.
  case named([UInt8]?)
  /// There is no decision. The task fails with this, and what is stored stays.
  case undecided(Failure)
  /// There is no decision yet. The question is asked again after a while, as often as a transfer is tried; then it is
  /// `undecided`.
  case unanswered(Failure)
}

/// Answers the questions of an engine.
package protocol EnginePolicy: AnyObject, Sendable {
  /// What it is asked. Nothing else costs anything.
  var kinds: Set<EngineQuestion.Kind> { get }
  /// How long it may take to answer; nil is unlimited. Then it is asked again, as often as a transfer is tried. No answer never
  /// means yes.
  var timeLimit: Duration? { get }

  /// Answers at once what needs no time; nil where `decide` is to be called. Called on the engine's thread.
  func decision(on question: EngineQuestion) -> EngineDecision?

  /// Called on the engine's thread, which it must not hold up.
  ///
  /// - Parameters:
  ///   - number: of this question, for `forget`.
  ///   - answer: to be called once, on any thread.
  func decide(_ question: EngineQuestion, number: Int, answer: @escaping @Sendable (EngineDecision) -> Void)

  /// Whether `source` is to be asked once more, because servers have refused a file.
  func mayRenew(after refusal: Failure) -> Bool

  /// Nobody waits for the answer to this question any more.
  func forget(number: Int)
}

extension EnginePolicy {
  package var timeLimit: Duration? { .seconds(30) }
  package func decision(on question: EngineQuestion) -> EngineDecision? { nil }
  package func mayRenew(after refusal: Failure) -> Bool { false }
  package func forget(number: Int) {}
}

internal import CSwiftGetShims
internal import DownloadCore
internal import DownloadEngine
internal import DownloadFiles
internal import DownloadTransport
internal import Glibc

/// The loop of a control server. Only the server's thread uses it once it runs.
final class ControlLoop: @unchecked Sendable {
  enum Order: Sendable {
    case answer(ControlClientID, id: [UInt8], Result<[UInt8], ControlError>)
    case tell([ControlClientID], line: [UInt8])
    case stop
  }

  private final class Client {
    let id: ControlClientID
    let socket: FileDescriptor
    var conversation: Conversation
    /// What epoll waits for.
    var awaited: UInt32 = 0

    init(_ id: ControlClientID, _ socket: consuming FileDescriptor, _ conversation: Conversation) {
      self.id = id
      self.socket = socket
      self.conversation = conversation
    }
  }

  /// What epoll tells of, beside clients.
  private enum Token {
    static let orders: UInt64 = 0
    static let listening: UInt64 = 1
    static let directory: UInt64 = 2
    static let firstClient: UInt64 = 3
  }

  private let epoll: FileDescriptor
  private var listening: FileDescriptor?
  private var socket: ControlSocket?
  /// Places for the socket, in the order of preference.
  private let places: [ControlSocket]
  private var directory: FileDescriptor?
  /// Of the socket's file.
  private var inode: UInt64?
  private let greeting: Conversation.Greeting
  private let orders: Mailbox<Order>
  private let handler: any ControlHandler
  private var clients: [ControlClientID: Client] = [:]
  private var nextClient = Token.firstClient
  private var isStopping = false
  private var buffer = [UInt8](repeating: 0, count: 1 << 16)

  /// - Parameter places: for the socket, which is at the first one; empty if it is not this process's to remove.
  init(
    _ listening: consuming FileDescriptor, _ places: [ControlSocket], _ greeting: Conversation.Greeting,
    _ orders: Mailbox<Order>, _ handler: any ControlHandler
  ) throws(SystemCallError) {
    let made = shim_epoll_create()
    guard made >= 0 else { throw SystemCallError(.openat, EMFILE) }
    epoll = FileDescriptor(owning: made)
    self.places = places
    self.greeting = greeting
    self.orders = orders
    self.handler = handler
    notice(orders.descriptor, Token.orders)
    listen(consume listening, places.first)
  }

  private func listen(_ listening: consuming FileDescriptor, _ socket: ControlSocket?) {
    self.listening = consume listening
    self.socket = socket
    inode = socket?.inode
    directory = socket.flatMap { socket in
      let watch = socket_watch_directory(socket.directory, socket.directory.count)
      return watch < 0 ? nil : FileDescriptor(owning: Int32(truncatingIfNeeded: watch))
    }
    notice(self.listening?.raw ?? -1, Token.listening)
    notice(directory?.raw ?? -1, Token.directory)
  }

  private func notice(_ descriptor: Int32, _ token: UInt64) {
    _ = shim_epoll_set(epoll.raw, descriptor, UInt32(SHIM_READABLE), token, 0)
  }

  func run() {
    var events = [shim_event](repeating: shim_event(), count: 64)
    while !isStopping {
      let deadline = clients.values.compactMap(\.conversation.deadline).min()
      let count = shim_epoll_wait(
        epoll.raw, &events, Int32(events.count),
        deadline.map { max(0, ($0 - Clock.now()).wholeNanoseconds / 1000) } ?? -1)
      for event in events[..<max(0, Int(count))] {
        switch event.token {
        case Token.orders: obey()
        case Token.listening: accept()
        case Token.directory: lookForSocket()
        default: if let client = clients[ControlClientID(number: event.token)] { serve(client, event.what) }
        }
      }
      for client in clients.values { update(client) }
    }
    for client in clients.values { handler.left(client.id) }
    clients = [:]
    if let socket, socket.inode == inode { socket.remove() }
  }

  private func obey() {
    for order in orders.takeAll() {
      switch order {
      case .answer(let client, let id, let result):
        clients[client]?.conversation.answer(id, result, now: Clock.now())
      case .tell(let names, let line):
        for name in names { clients[name]?.conversation.tell(line, now: Clock.now()) }
      case .stop: isStopping = true
      }
    }
  }

  // MARK: Clients

  private func accept() {
    guard let descriptor = listening?.raw else { return }
    while true {
      let accepted = socket_accept(descriptor)
      guard accepted >= 0 else { return }
      let socket = FileDescriptor(owning: Int32(truncatingIfNeeded: accepted))
      let peer = socket_peer_user(socket.raw)
      let id = ControlClientID(number: nextClient)
      nextClient += 1
      var conversation = Conversation(greeting)
      // Root may do with a user's session what the user may.
      if peer != Int(SystemCalls.user), peer != 0 {
        conversation.refuse(.otherUser, now: Clock.now())
      } else if clients.count >= ControlProtocol.mostClients {
        conversation.refuse(.tooManyClients, now: Clock.now())
      }
      clients[id] = Client(id, socket, conversation)
    }
  }

  private func serve(_ client: Client, _ what: UInt32) {
    if what & UInt32(SHIM_WRITABLE) != 0 { send(to: client) }
    guard what & (UInt32(SHIM_READABLE) | UInt32(SHIM_BROKEN)) != 0 else { return }
    // As long as it may have answers. One that sends without end is not the only one.
    for _ in 0..<16 where client.conversation.isReading {
      let count = socket_receive(client.socket.raw, &buffer, buffer.count)
      if count == -Int(EAGAIN) { return }
      guard count > 0 else { return close(client) }
      for request in client.conversation.received(buffer[..<count], now: Clock.now()) { pass(request, of: client.id) }
    }
  }

  private func pass(_ request: ControlRequest, of client: ControlClientID) {
    let id = request.id
    handler.called(request, by: client) { [orders] result in
      if let id { orders.post(.answer(client, id: id, result)) }
    }
  }

  private func send(to client: Client) {
    while true {
      let unsent = client.conversation.unsent
      if unsent.isEmpty { return }
      let count = unsent.withUnsafeBytes { socket_send(client.socket.raw, $0.baseAddress, $0.count) }
      if count == -Int(EAGAIN) { return }
      guard count >= 0 else { return close(client) }
      client.conversation.sent(Int(count), now: Clock.now())
    }
  }

  /// Sends what there is, closes what is over, and says to epoll what is awaited.
  private func update(_ client: Client) {
    send(to: client)
    guard clients[client.id] != nil else { return }
    if client.conversation.closeGap(now: Clock.now()) {
      handler.missedNews(client.id)
      send(to: client)
    }
    guard clients[client.id] != nil else { return }
    if client.conversation.isOver(now: Clock.now()) { return close(client) }
    var awaited: UInt32 = client.conversation.isReading ? UInt32(SHIM_READABLE) : 0
    if !client.conversation.unsent.isEmpty { awaited |= UInt32(SHIM_WRITABLE) }
    if awaited == client.awaited { return }
    _ = shim_epoll_set(epoll.raw, client.socket.raw, awaited, client.id.number, client.awaited == 0 ? 0 : 1)
    client.awaited = awaited
  }

  private func close(_ client: Client) {
    // The descriptor leaves epoll when it is closed.
    if clients.removeValue(forKey: client.id) != nil { handler.left(client.id) }
  }

  // MARK: The socket's file

  /// Makes the socket again if somebody has removed it. Connections that there are stay.
  private func lookForSocket() {
    guard let watch = directory?.raw, let socket else { return }
    socket_clear_watch(watch)
    guard socket.inode != inode else { return }
    // Another process may have made one, if it has the session now; ours is to have it then.
    for place in places {
      guard let again = try? place.listen() else { continue }
      listen(consume again, place)
      if place != socket { handler.moved(to: place) }
      return
    }
  }
}

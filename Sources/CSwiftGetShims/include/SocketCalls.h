// Unix sockets, with the convention of FileCalls.h: functions that return long return the result of the call, or -errno.
// Sockets do not block, and children do not inherit them.
#pragma once

#include <stddef.h>
#include <stdint.h>

// The most bytes of a socket's path.
extern const size_t SOCKET_PATH_LENGTH;

// Binds a new socket to the path and listens. Its file has the mode 0600.
long socket_listen(const uint8_t *path, size_t length);
// Blocks until the connection is made or refused.
long socket_connect(const uint8_t *path, size_t length);
long socket_accept(int listening);
// The user id of the process at the other end.
long socket_peer_user(int socket);
// SIGPIPE does not occur.
long socket_send(int socket, const void *bytes, size_t count);
long socket_receive(int socket, void *bytes, size_t count);
// Whether the descriptor is a Unix socket that listens.
int socket_listens(int descriptor);
// A descriptor that is readable after a name in this directory was removed or given to another file.
long socket_watch_directory(const uint8_t *path, size_t length);
// Makes it unreadable again.
void socket_clear_watch(int watch);

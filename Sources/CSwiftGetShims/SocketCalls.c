#include "SocketCalls.h"

#include <errno.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

const size_t SOCKET_PATH_LENGTH = sizeof((struct sockaddr_un *)0)->sun_path - 1;

static long fill(struct sockaddr_un *address, const uint8_t *path, size_t length) {
  if (length > SOCKET_PATH_LENGTH) return -ENAMETOOLONG;
  if (length == 0 || memchr(path, 0, length)) return -EINVAL;
  memset(address, 0, sizeof *address);
  address->sun_family = AF_UNIX;
  memcpy(address->sun_path, path, length);
  return 0;
}

static long failed(int socket) {
  long code = -(long)errno;
  close(socket);
  return code;
}

long socket_listen(const uint8_t *path, size_t length) {
  struct sockaddr_un address;
  long refused = fill(&address, path, length);
  if (refused < 0) return refused;
  int made = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (made < 0) return -(long)errno;
  // The mode of the socket is that of its file, before anybody can see it.
  if (fchmod(made, S_IRUSR | S_IWUSR) < 0) return failed(made);
  if (bind(made, (struct sockaddr *)&address, sizeof address) < 0) return failed(made);
  if (chmod(address.sun_path, S_IRUSR | S_IWUSR) < 0) return failed(made);
  if (listen(made, 64) < 0) return failed(made);
  return made;
}

long socket_connect(const uint8_t *path, size_t length) {
  struct sockaddr_un address;
  long refused = fill(&address, path, length);
  if (refused < 0) return refused;
  int made = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (made < 0) return -(long)errno;
  int result;
  do result = connect(made, (struct sockaddr *)&address, sizeof address);
  while (result < 0 && errno == EINTR);
  return result < 0 ? failed(made) : made;
}

long socket_accept(int listening) {
  int result;
  do result = accept4(listening, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  while (result < 0 && errno == EINTR);
  return result < 0 ? -(long)errno : result;
}

long socket_peer_user(int socket) {
  struct ucred peer;
  socklen_t length = sizeof peer;
  return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) < 0 ? -(long)errno : (long)peer.uid;
}

long socket_send(int socket, const void *bytes, size_t count) {
  ssize_t result;
  do result = send(socket, bytes, count, MSG_NOSIGNAL);
  while (result < 0 && errno == EINTR);
  return result < 0 ? -(long)errno : result;
}

long socket_receive(int socket, void *bytes, size_t count) {
  ssize_t result;
  do result = recv(socket, bytes, count, 0);
  while (result < 0 && errno == EINTR);
  return result < 0 ? -(long)errno : result;
}

int socket_listens(int descriptor) {
  int listens = 0, domain = 0;
  socklen_t length = sizeof listens;
  if (getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) < 0) return 0;
  length = sizeof domain;
  if (getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &length) < 0) return 0;
  return listens && domain == AF_UNIX;
}

long socket_watch_directory(const uint8_t *path, size_t length) {
  char name[4096];
  if (length >= sizeof name) return -ENAMETOOLONG;
  memcpy(name, path, length);
  name[length] = 0;
  int watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  if (watch < 0) return -(long)errno;
  uint32_t events = IN_DELETE | IN_DELETE_SELF | IN_MOVED_FROM | IN_MOVED_TO;
  if (inotify_add_watch(watch, name, events | IN_ONLYDIR) < 0) return failed(watch);
  return watch;
}

void socket_clear_watch(int watch) {
  char events[4096];
  while (read(watch, events, sizeof events) > 0) {
  }
}

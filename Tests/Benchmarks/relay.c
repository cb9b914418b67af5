/* Puts a server of this machine far away: relay PORT MILLISECONDS [WINDOW]
 *
 * Relays connections to 127.0.0.1:PORT. Every byte takes half of the round trip in either direction, and what a client
 * sends first waits for a whole one more, as it would for its connection to be made. A connection carries at most WINDOW
 * bytes (32 MiB) a round trip in either direction. The port it listens on is printed on a line of its own. One thread,
 * epoll. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { CHUNK = 65536 };

/* Half of it is on its way at a time, for a byte takes half of the round trip. */
static size_t window = 32 << 20;

/* Bytes on their way, due at a time; none is the end of the stream. */
struct parcel {
  struct parcel *next;
  double due;
  size_t length, sent;
  char bytes[];
};

/* One direction of a connection. */
struct lane {
  int from, to;
  double earliest;
  struct parcel *first, *last;
  size_t underway;
  int is_read, is_blocked, is_shut;
};

struct connection {
  struct connection *next;
  struct lane lanes[2];
};

static struct connection *connections;
static double delay;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec / 1e9;
}

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static int watch(int poller, int socket, struct connection *connection) {
  struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data.ptr = connection};
  return epoll_ctl(poller, EPOLL_CTL_ADD, socket, &event);
}

static void start(int poller, int client, int port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int server = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), one = 1;
  struct connection *connection = calloc(1, sizeof *connection);
  if (server < 0 || !connection) fail("relay");
  if (connect(server, (struct sockaddr *)&address, sizeof address) < 0 && errno != EINPROGRESS) fail("connect");
  setsockopt(server, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  connection->lanes[0] = (struct lane){.from = client, .to = server, .earliest = now() + 2 * delay};
  connection->lanes[1] = (struct lane){.from = server, .to = client};
  connection->next = connections;
  connections = connection;
  if (watch(poller, client, connection) < 0 || watch(poller, server, connection) < 0) fail("epoll_ctl");
}

static void read_lane(struct lane *lane) {
  while (!lane->is_read && lane->underway < window / 2) {
    struct parcel *parcel = malloc(sizeof *parcel + CHUNK);
    if (!parcel) fail("malloc");
    ssize_t count = recv(lane->from, parcel->bytes, CHUNK, 0);
    if (count < 0 && (errno == EAGAIN || errno == ENOTCONN)) {
      free(parcel);
      return;
    }
    if (count <= 0) lane->is_read = 1;
    double begin = now();
    *parcel = (struct parcel){.due = (begin > lane->earliest ? begin : lane->earliest) + delay,
                              .length = count > 0 ? count : 0};
    if (lane->last) lane->last->next = parcel;
    else lane->first = parcel;
    lane->last = parcel;
    lane->underway += parcel->length;
  }
}

static void write_lane(struct lane *lane, double time) {
  while (lane->first && lane->first->due <= time && !lane->is_shut) {
    struct parcel *parcel = lane->first;
    if (parcel->length == 0) {
      shutdown(lane->to, SHUT_WR);
      lane->is_shut = 1;
    }
    while (parcel->sent < parcel->length) {
      ssize_t count = send(lane->to, parcel->bytes + parcel->sent, parcel->length - parcel->sent, MSG_NOSIGNAL);
      if (count < 0 && (errno == EAGAIN || errno == ENOTCONN)) return;
      if (count < 0) {
        lane->is_shut = lane->is_read = 1;
        shutdown(lane->from, SHUT_RD);
        return;
      }
      parcel->sent += count;
    }
    lane->underway -= parcel->length;
    lane->first = parcel->next;
    if (!lane->first) lane->last = NULL;
    free(parcel);
  }
}

static void sweep(void) {
  for (struct connection **link = &connections; *link;) {
    struct connection *connection = *link;
    if (!connection->lanes[0].is_shut || !connection->lanes[1].is_shut) {
      link = &connection->next;
      continue;
    }
    close(connection->lanes[0].from);
    close(connection->lanes[1].from);
    for (int i = 0; i < 2; i++)
      for (struct parcel *next, *parcel = connection->lanes[i].first; parcel; parcel = next) {
        next = parcel->next;
        free(parcel);
      }
    *link = connection->next;
    free(connection);
  }
}

int main(int count, char **arguments) {
  if (count != 3 && count != 4) {
    fprintf(stderr, "usage: relay PORT MILLISECONDS [WINDOW]\n");
    return 2;
  }
  int port = atoi(arguments[1]);
  delay = atof(arguments[2]) / 2000;
  if (count == 4) window = strtoul(arguments[3], NULL, 10);
  signal(SIGPIPE, SIG_IGN);
  struct sockaddr_in address = {.sin_family = AF_INET};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (listener < 0 || bind(listener, (struct sockaddr *)&address, length) < 0 || listen(listener, 1024) < 0 ||
      getsockname(listener, (struct sockaddr *)&address, &length) < 0)
    fail("listen");
  printf("%d\n", ntohs(address.sin_port));
  fflush(stdout);
  int poller = epoll_create1(EPOLL_CLOEXEC);
  if (poller < 0 || watch(poller, listener, NULL) < 0) fail("epoll");
  for (;;) {
    struct epoll_event events[256];
    int found = epoll_wait(poller, events, 256, connections ? 1 : -1);
    if (found < 0 && errno != EINTR) fail("epoll_wait");
    for (int i = 0; i < found; i++)
      if (!events[i].data.ptr)
        for (int client; (client = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0;)
          start(poller, client, port);
    double time = now();
    for (struct connection *connection = connections; connection; connection = connection->next)
      for (int i = 0; i < 2; i++) {
        read_lane(&connection->lanes[i]);
        write_lane(&connection->lanes[i], time);
      }
    sweep();
  }
}

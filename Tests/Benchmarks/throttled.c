/* An HTTP/1.1 server that holds each connection, not each request, to a rate: throttled [OPTION VALUE]... DIRECTORY
 *
 *   --rate BYTES        per second, of each connection (0: no limit)
 *   --total-rate BYTES  per second, of all together
 *   --latency-ms N      before each answer
 *   --slow-one-in N     of so many connections the last runs at --slow-rate BYTES instead
 *   --port N            0: any; the port is printed on a line of its own
 *
 * Serves files of the directory with ranges, ETag and Last-Modified. GET /.stats tells requests, body bytes sent (not
 * what a closed connection had not yet delivered), and the most connections at one time since it was last asked. One
 * thread, epoll. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { HEAD_LIMIT = 16384, ANSWER_LIMIT = 1024, LEAST_SEND = 16384 };

/* Bytes that may be sent now; filled with time, up to 50 ms worth. */
struct bucket {
  double rate, level, filled;
};

struct connection {
  struct connection *next;
  int socket, file;
  struct bucket bucket;
  char head[HEAD_LIMIT];
  size_t head_length;
  char answer[ANSWER_LIMIT];
  size_t answer_length, answer_sent;
  off_t position, end;
  double not_before;
  int is_answering, is_closing, is_blocked, is_dead;
};

static struct connection *connections;
static struct bucket total;
static double rate, slow_rate, latency;
static long slow_one_in, connection_count, open_count, most_open_count, request_count;
static long long body_bytes;
static int poller;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec / 1e9;
}

static double allowed(struct bucket *bucket, double time) {
  if (bucket->rate <= 0) return 1e18;
  double most = bucket->rate / 20;
  if (most < LEAST_SEND) most = LEAST_SEND;
  bucket->level += (time - bucket->filled) * bucket->rate;
  bucket->filled = time;
  if (bucket->level > most) bucket->level = most;
  return bucket->level;
}

static void begin_answer(struct connection *c, const char *status, const char *headers, const char *body) {
  c->answer_length = snprintf(c->answer, ANSWER_LIMIT, "HTTP/1.1 %s\r\n%sContent-Length: %zu\r\n\r\n%s", status, headers,
                              strlen(body), body);
}

static void answer_file(struct connection *c, const char *name, int is_head, const char *range) {
  struct stat info;
  c->file = strstr(name, "..") ? -1 : open(name, O_RDONLY | O_CLOEXEC);
  if (c->file < 0 || fstat(c->file, &info) < 0 || !S_ISREG(info.st_mode)) {
    begin_answer(c, "404 Not Found", "", "");
    return;
  }
  char modified[64], date[64], validators[256], content_range[128] = "";
  struct tm parts;
  time_t time_now = time(NULL);
  strftime(modified, sizeof modified, "%a, %d %b %Y %H:%M:%S GMT", gmtime_r(&info.st_mtime, &parts));
  strftime(date, sizeof date, "%a, %d %b %Y %H:%M:%S GMT", gmtime_r(&time_now, &parts));
  snprintf(validators, sizeof validators, "Date: %s\r\nLast-Modified: %s\r\nETag: \"%llx-%llx\"\r\nAccept-Ranges: bytes\r\n",
           date, modified, (long long)info.st_mtime, (long long)info.st_size);
  const char *status = "200 OK";
  long long first = 0, last = info.st_size - 1;
  if (range) {
    long long asked_first, asked_last = info.st_size - 1;
    int found = sscanf(range, "bytes=%lld-%lld", &asked_first, &asked_last);
    if (found >= 1 && asked_first < 0) {
      asked_first = info.st_size + asked_first < 0 ? 0 : info.st_size + asked_first;
      asked_last = info.st_size - 1;
    }
    if (found >= 1) {
      if (asked_first >= info.st_size) {
        snprintf(content_range, sizeof content_range, "Content-Range: bytes */%lld\r\n", (long long)info.st_size);
        begin_answer(c, "416 Range Not Satisfiable", content_range, "");
        return;
      }
      first = asked_first;
      if (asked_last < last) last = asked_last;
      status = "206 Partial Content";
      snprintf(content_range, sizeof content_range, "Content-Range: bytes %lld-%lld/%lld\r\n", first, last,
               (long long)info.st_size);
    }
  }
  c->position = first;
  c->end = is_head ? first : last + 1;
  c->answer_length = snprintf(c->answer, ANSWER_LIMIT, "HTTP/1.1 %s\r\n%s%sContent-Length: %lld\r\n\r\n", status, validators,
                              content_range, last + 1 - first);
}

/* Takes one request out of the bytes received, if a whole one is there. */
static void next_request(struct connection *c) {
  char *end = memmem(c->head, c->head_length, "\r\n\r\n", 4);
  if (!end) return;
  *end = 0;
  char method[16], target[2048];
  if (sscanf(c->head, "%15s /%2047s", method, target) != 2) {
    c->is_dead = 1;
    return;
  }
  target[strcspn(target, "?")] = 0;
  char *range = strcasestr(c->head, "\r\nrange:");
  if (range) range += 8 + strspn(range + 8, " ");
  c->is_closing = strcasestr(c->head, "\r\nconnection: close") != NULL;
  c->answer_sent = 0;
  c->position = c->end = 0;
  c->not_before = latency > 0 ? now() + latency : 0;
  c->is_answering = 1;
  if (strcmp(target, ".stats") == 0) {
    char text[256];
    long long unsent_bytes = 0;
    for (struct connection *other = connections; other; other = other->next) {
      int unsent = 0;
      if (ioctl(other->socket, SIOCOUTQ, &unsent) == 0) unsent_bytes += unsent;
    }
    snprintf(text, sizeof text, "{\"connections\": %ld, \"requests\": %ld, \"body_bytes\": %lld}\n", most_open_count,
             request_count, body_bytes - unsent_bytes);
    most_open_count = 0;
    begin_answer(c, "200 OK", "", text);
  } else {
    request_count++;
    answer_file(c, target, strcmp(method, "HEAD") == 0, range);
  }
  size_t used = end + 4 - c->head;
  memmove(c->head, c->head + used, c->head_length - used);
  c->head_length -= used;
}

/* Until nothing is left, for readiness is told once; a client that sends heads without end is dropped. */
static void receive(struct connection *c) {
  ssize_t got = 1;
  while (got > 0 && c->head_length < HEAD_LIMIT) {
    got = recv(c->socket, c->head + c->head_length, HEAD_LIMIT - c->head_length, 0);
    if (got > 0) c->head_length += got;
    else if (got == 0 || (errno != EAGAIN && errno != EINTR)) c->is_dead = 1;
  }
  if (c->head_length == HEAD_LIMIT) c->is_dead = 1;
  if (!c->is_answering && !c->is_dead) next_request(c);
}

/* Sends what its rate allows. Returns whether it waits for time to pass. */
static int advance(struct connection *c, double time) {
  while (c->is_answering && !c->is_dead && !c->is_blocked) {
    if (time < c->not_before) return 1;
    ssize_t sent;
    if (c->answer_sent < c->answer_length) {
      sent = send(c->socket, c->answer + c->answer_sent, c->answer_length - c->answer_sent,
                  MSG_NOSIGNAL | (c->position < c->end ? MSG_MORE : 0));
      if (sent > 0) c->answer_sent += sent;
    } else if (c->position < c->end) {
      double own = allowed(&c->bucket, time), shared = allowed(&total, time);
      double most = own < shared ? own : shared;
      off_t left = c->end - c->position;
      if (most < (left < LEAST_SEND ? left : LEAST_SEND)) return 1;
      if (most > 1 << 20) most = 1 << 20;
      sent = sendfile(c->socket, c->file, &c->position, most < left ? (size_t)most : (size_t)left);
      if (sent > 0) {
        c->bucket.level -= sent;
        total.level -= sent;
        body_bytes += sent;
      }
    } else {
      if (c->file >= 0) close(c->file);
      c->file = -1;
      c->is_answering = 0;
      if (c->is_closing) c->is_dead = 1;
      else next_request(c);
      continue;
    }
    if (sent == 0 || (sent < 0 && errno != EAGAIN && errno != EINTR)) c->is_dead = 1;
    else if (sent < 0 && errno == EAGAIN) c->is_blocked = 1;
  }
  return 0;
}

static void accept_all(int listener) {
  int socket;
  while ((socket = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
    int one = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    struct connection *c = calloc(1, sizeof *c);
    if (!c) exit(1);
    c->socket = socket;
    c->file = -1;
    c->bucket.rate = slow_one_in > 0 && connection_count % slow_one_in == slow_one_in - 1 ? slow_rate : rate;
    c->bucket.filled = now();
    connection_count++;
    if (++open_count > most_open_count) most_open_count = open_count;
    c->next = connections;
    connections = c;
    struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data.ptr = c};
    epoll_ctl(poller, EPOLL_CTL_ADD, socket, &event);
  }
}

static void bury_dead(void) {
  struct connection **link = &connections;
  while (*link) {
    struct connection *c = *link;
    if (!c->is_dead) {
      link = &c->next;
      continue;
    }
    int unsent = 0;
    if (!c->is_closing && ioctl(c->socket, SIOCOUTQ, &unsent) == 0) body_bytes -= unsent;
    if (c->file >= 0) close(c->file);
    close(c->socket);
    open_count--;
    *link = c->next;
    free(c);
  }
}

int main(int count, char **arguments) {
  int port = 0;
  const char *directory = NULL;
  for (int i = 1; i < count; i++) {
    const char *name = arguments[i];
    if (name[0] != '-') {
      directory = name;
      continue;
    }
    if (++i == count) return 2;
    double value = atof(arguments[i]);
    if (!strcmp(name, "--rate")) rate = value;
    else if (!strcmp(name, "--total-rate")) total.rate = value;
    else if (!strcmp(name, "--latency-ms")) latency = value / 1000;
    else if (!strcmp(name, "--slow-one-in")) slow_one_in = value;
    else if (!strcmp(name, "--slow-rate")) slow_rate = value;
    else if (!strcmp(name, "--port")) port = value;
    else return 2;
  }
  if (!directory || chdir(directory) < 0) return 2;
  signal(SIGPIPE, SIG_IGN);
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  int one = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  if (bind(listener, (struct sockaddr *)&address, length) < 0 || listen(listener, 512) < 0 ||
      getsockname(listener, (struct sockaddr *)&address, &length) < 0) {
    perror("throttled");
    return 1;
  }
  printf("%d\n", ntohs(address.sin_port));
  fflush(stdout);
  total.filled = now();
  poller = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};
  epoll_ctl(poller, EPOLL_CTL_ADD, listener, &event);
  int is_waiting = 0;
  for (;;) {
    struct epoll_event events[64];
    int ready = epoll_wait(poller, events, 64, is_waiting ? 2 : -1);
    for (int i = 0; i < ready; i++) {
      struct connection *c = events[i].data.ptr;
      if (!c) {
        accept_all(listener);
        continue;
      }
      if (events[i].events & (EPOLLHUP | EPOLLERR | EPOLLRDHUP)) c->is_dead = 1;
      if (events[i].events & EPOLLOUT) c->is_blocked = 0;
      if (events[i].events & EPOLLIN) receive(c);
    }
    is_waiting = 0;
    double time = now();
    for (struct connection *c = connections; c; c = c->next) is_waiting |= advance(c, time);
    bury_dead();
  }
}

/* The floor under every downloader: recv into one buffer, pwrite to a file: reader PORT PATH FILE [BUFFER_BYTES]
 *
 * Knows nothing of HTTP but the empty line after the head and Content-Length. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

static int fail(const char *what) {
  perror(what);
  return 1;
}

int main(int count, char **arguments) {
  if (count < 4) return 2;
  size_t size = count > 4 ? strtoul(arguments[4], NULL, 10) : 512 * 1024;
  char *buffer = malloc(size + 1);
  int connection = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(atoi(arguments[1]))};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(connection, (struct sockaddr *)&address, sizeof address) < 0) return fail("connect");
  int length = snprintf(buffer, size, "GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", arguments[2]);
  if (send(connection, buffer, length, 0) != length) return fail("send");
  int file = open(arguments[3], O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file < 0) return fail("open");

  size_t have = 0;
  char *end = NULL;
  while (!end) {
    ssize_t got = recv(connection, buffer + have, size - have, 0);
    if (got <= 0) return fail("recv");
    have += got;
    buffer[have] = 0;
    end = strstr(buffer, "\r\n\r\n");
  }
  char *field = strcasestr(buffer, "\r\ncontent-length:");
  if (!field || field > end) return 1;
  long long left = atoll(field + 17);
  long long offset = 0;
  have -= end + 4 - buffer;
  memmove(buffer, end + 4, have);
  for (;;) {
    if (have > 0 && pwrite(file, buffer, have, offset) != (ssize_t)have) return fail("pwrite");
    offset += have;
    left -= have;
    if (left <= 0) break;
    ssize_t got = recv(connection, buffer, size, 0);
    if (got <= 0) return fail("recv");
    have = got;
  }
  return close(file) == 0 ? 0 : fail("close");
}

#include "NetworkCalls.h"

#include <errno.h>
#include <ifaddrs.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

long network_watch(void) {
  int made = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
  if (made < 0) return -(long)errno;
  struct sockaddr_nl address = {.nl_family = AF_NETLINK,
                                .nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR};
  if (bind(made, (struct sockaddr *)&address, sizeof address) == 0) return made;
  long code = -(long)errno;
  close(made);
  return code;
}

void network_clear_watch(int watch) {
  char message[8192];
  // With ENOBUFS messages were lost; what follows from them is looked up anyway.
  while (recv(watch, message, sizeof message, 0) >= 0 || errno == EINTR || errno == ENOBUFS) {
  }
}

static int reaches_others(const struct ifaddrs *entry) {
  const unsigned wanted = IFF_UP | IFF_RUNNING;
  if (!entry->ifa_addr || (entry->ifa_flags & IFF_LOOPBACK) || (entry->ifa_flags & wanted) != wanted) return 0;
  if (entry->ifa_addr->sa_family == AF_INET) return 1;
  return entry->ifa_addr->sa_family == AF_INET6 &&
         !IN6_IS_ADDR_LINKLOCAL(&((const struct sockaddr_in6 *)entry->ifa_addr)->sin6_addr);
}

int network_is_available(void) {
  struct ifaddrs *first;
  if (getifaddrs(&first) != 0) return 1;
  int found = 0;
  for (const struct ifaddrs *entry = first; entry && !found; entry = entry->ifa_next) found = reaches_others(entry);
  freeifaddrs(first);
  return found;
}

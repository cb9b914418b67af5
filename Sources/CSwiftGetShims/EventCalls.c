#include "EventCalls.h"
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

int shim_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

int shim_epoll_set(int epoll, int descriptor, uint32_t what, uint64_t token, int is_known) {
  struct epoll_event event = {0};
  event.data.u64 = token;
  if (what & SHIM_READABLE) event.events |= EPOLLIN;
  if (what & SHIM_WRITABLE) event.events |= EPOLLOUT;
  if (what == 0) return epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, &event);
  // epoll forgets a descriptor when it is closed, so after a reopen `is_known` may be wrong.
  int result = epoll_ctl(epoll, is_known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, descriptor, &event);
  if (result < 0 && errno == (is_known ? ENOENT : EEXIST))
    result = epoll_ctl(epoll, is_known ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, descriptor, &event);
  return result;
}

int shim_epoll_wait(int epoll, shim_event *events, int capacity, int64_t microseconds) {
  struct epoll_event ready[128];
  if (capacity > 128) capacity = 128;
  int milliseconds = microseconds < 0 ? -1 : microseconds > 60000000 ? 60000 : (int)((microseconds + 999) / 1000);
  int count = epoll_wait(epoll, ready, capacity, milliseconds);
  for (int i = 0; i < count; i++) {
    events[i].token = ready[i].data.u64;
    events[i].what = (ready[i].events & EPOLLIN ? SHIM_READABLE : 0) | (ready[i].events & EPOLLOUT ? SHIM_WRITABLE : 0) |
                     (ready[i].events & (EPOLLERR | EPOLLHUP) ? SHIM_BROKEN : 0);
  }
  return count < 0 && errno == EINTR ? 0 : count;
}

int shim_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

void shim_eventfd_signal(int descriptor) {
  uint64_t one = 1;
  while (write(descriptor, &one, sizeof one) < 0 && errno == EINTR) {
  }
}

void shim_eventfd_clear(int descriptor, int blocks) {
  uint64_t count;
  while (read(descriptor, &count, sizeof count) < 0) {
    if (errno == EINTR) continue;
    if (errno != EAGAIN || !blocks) return;
    struct pollfd wait = {.fd = descriptor, .events = POLLIN};
    poll(&wait, 1, -1);
  }
}

int shim_signalfd(const int *signals, int count) {
  sigset_t set;
  sigemptyset(&set);
  for (int i = 0; i < count; i++) sigaddset(&set, signals[i]);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

void shim_block_write_signals(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGPIPE);
  sigaddset(&set, SIGXFSZ);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
}

void shim_unblock(const int *signals, int count) {
  sigset_t set;
  sigemptyset(&set);
  for (int i = 0; i < count; i++) sigaddset(&set, signals[i]);
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

static void leave(int signal) {
  if (signal != SIGUSR1) _exit(signal == SIGINT ? 130 : 143);
}

void shim_leave_on_signals(const int *signals, int count) {
  struct sigaction action = {.sa_handler = leave, .sa_flags = SA_RESTART};
  sigemptyset(&action.sa_mask);
  for (int i = 0; i < count; i++) sigaction(signals[i], &action, NULL);
}

void shim_stop(int signal) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
  raise(signal);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
}

int shim_signalfd_read(int descriptor) {
  struct signalfd_siginfo info;
  ssize_t count = read(descriptor, &info, sizeof info);
  return count == (ssize_t)sizeof info ? (int)info.ssi_signo : 0;
}

static int64_t clock_now(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}
int64_t shim_monotonic(void) { return clock_now(CLOCK_MONOTONIC); }
int64_t shim_boottime(void) { return clock_now(CLOCK_BOOTTIME); }
int64_t shim_realtime(void) { return clock_now(CLOCK_REALTIME); }

int shim_second_of_local_day(int64_t unix_seconds) {
  time_t now = (time_t)unix_seconds;
  struct tm local;
  tzset();
  if (localtime_r(&now, &local) == NULL) return 0;
  // A leap second repeats the last second.
  return local.tm_hour * 3600 + local.tm_min * 60 + (local.tm_sec > 59 ? 59 : local.tm_sec);
}

void shim_close(int descriptor) { close(descriptor); }

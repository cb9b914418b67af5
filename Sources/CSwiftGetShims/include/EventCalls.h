// epoll, eventfd, signalfd and clocks, which Glibc's module lacks or imports awkwardly.
#ifndef SWIFTGET_EVENT_CALLS_H
#define SWIFTGET_EVENT_CALLS_H

#include <stdint.h>

enum { SHIM_READABLE = 1, SHIM_WRITABLE = 2, SHIM_BROKEN = 4 };

typedef struct {
  uint64_t token;
  uint32_t what;  // SHIM_READABLE and so on
} shim_event;

// Functions that return int return -1 and set errno on failure.
int shim_epoll_create(void);
// Adds or changes the events of a descriptor; `what` 0 removes it.
int shim_epoll_set(int epoll, int descriptor, uint32_t what, uint64_t token, int is_known);
// Waits at most `microseconds` (-1: without limit) and returns the number of events.
int shim_epoll_wait(int epoll, shim_event *events, int capacity, int64_t microseconds);

int shim_eventfd(void);
void shim_eventfd_signal(int descriptor);
// Clears the count. If `blocks` is not 0, waits for a signal first.
void shim_eventfd_clear(int descriptor, int blocks);
void shim_close(int descriptor);

// Blocks SIGPIPE and SIGXFSZ on the calling thread: what cannot be written fails with EPIPE or EFBIG.
void shim_block_write_signals(void);
// Blocks the signals in this thread and in threads it starts later, and returns a descriptor that reads them.
int shim_signalfd(const int *signals, int count);
// Takes back the blocking in this thread.
void shim_unblock(const int *signals, int count);
// While they are not blocked: each signal ends the process, with status 130 for SIGINT and 143 else. SIGUSR1 does nothing.
void shim_leave_on_signals(const int *signals, int count);
// Has a blocked signal take its default effect on the process, from this thread.
void shim_stop(int signal);
// The next pending signal; 0 where there is none.
int shim_signalfd_read(int descriptor);

// CLOCK_MONOTONIC and CLOCK_REALTIME in nanoseconds.
int64_t shim_monotonic(void);
int64_t shim_realtime(void);
// CLOCK_BOOTTIME in nanoseconds: it goes on while the machine is suspended, and nobody can set it.
int64_t shim_boottime(void);
// Seconds since midnight, local time with daylight saving, 0 to 86,399.
int shim_second_of_local_day(int64_t unix_seconds);

#endif

#include "ProcessCalls.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const char own_prefix[] = "SWIFTGET_";

// Puts pointers to the strings into `to`, and NULL behind them.
static void point_to(const char *strings, size_t count, char **to) {
  for (size_t i = 0; i < count; i++) {
    to[i] = (char *)strings;
    strings += strlen(strings) + 1;
  }
  to[count] = NULL;
}

// The environment of the child, to be freed; the strings belong to others.
static char **make_environment(const char *variables, size_t count) {
  size_t inherited = 0;
  while (environ && environ[inherited]) inherited++;
  char **all = calloc(inherited + count + 1, sizeof *all);
  if (all == NULL) return NULL;
  point_to(variables, count, all);
  size_t kept = count;
  for (size_t i = 0; i < inherited; i++)
    if (strncmp(environ[i], own_prefix, sizeof own_prefix - 1) != 0) all[kept++] = environ[i];
  return all;
}

static int is_writable(int descriptor) {
  int flags = fcntl(descriptor, F_GETFL);
  return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY;
}

// Copies descriptors above all numbers of the child, so that none is replaced before it is used.
static int copy_above(const int *descriptors, size_t count, int *copies) {
  for (size_t i = 0; i < count; i++) copies[i] = -1;
  for (size_t i = 0; i < count; i++) {
    copies[i] = fcntl(descriptors[i], F_DUPFD_CLOEXEC, STDERR_FILENO + 1 + (int)count);
    if (copies[i] < 0) return errno;
  }
  return 0;
}

static int add_actions(posix_spawn_file_actions_t *actions, const char *directory, int is_silent, int output,
                       const int *copies, size_t copy_count) {
  int error = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  if (!error && *directory) error = posix_spawn_file_actions_addchdir_np(actions, directory);
  if (!error && (is_silent || !is_writable(STDERR_FILENO)))
    error = posix_spawn_file_actions_addopen(actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  if (!error) error = posix_spawn_file_actions_adddup2(actions, output < 0 ? STDERR_FILENO : output, STDOUT_FILENO);
  int number = STDERR_FILENO + 1;
  for (size_t i = 0; !error && i < copy_count; i++)
    error = posix_spawn_file_actions_adddup2(actions, copies[i], number++);
  if (!error) error = posix_spawn_file_actions_addclosefrom_np(actions, number);
  return error;
}

// All signals as they are in a new process, and a process group or a session of its own.
static int set_attributes(posix_spawnattr_t *attributes, short group) {
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  int error = posix_spawnattr_setsigmask(attributes, &none);
  if (!error) error = posix_spawnattr_setsigdefault(attributes, &all);
  if (!error) error = posix_spawnattr_setpgroup(attributes, 0);
  if (!error)
    error = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | group);
  return error;
}

long process_start(const char *words, size_t word_count, const char *variables, size_t variable_count,
                   const char *directory, int is_silent, int output, const int *descriptors, size_t descriptor_count) {
  if (word_count == 0) return -EINVAL;
  int *copies = calloc(descriptor_count + 1, sizeof *copies);
  char **arguments = calloc(word_count + 1, sizeof *arguments);
  char **environment = make_environment(variables, variable_count);
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  pid_t process = 0;
  int error = arguments && environment && copies ? copy_above(descriptors, descriptor_count, copies) : ENOMEM;
  if (!error) {
    point_to(words, word_count, arguments);
    error = add_actions(&actions, directory, is_silent, output, copies, descriptor_count);
  }
  if (!error) error = set_attributes(&attributes, POSIX_SPAWN_SETPGROUP);
  if (!error) error = posix_spawnp(&process, arguments[0], &actions, &attributes, arguments, environment);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  for (size_t i = 0; copies && i < descriptor_count; i++)
    if (copies[i] >= 0) close(copies[i]);
  free(copies);
  free(environment);
  free(arguments);
  return error ? -(long)error : process;
}

long process_open(int process) {
#ifdef SYS_pidfd_open
  long result = syscall(SYS_pidfd_open, process, 0);
  return result < 0 ? -(long)errno : result;
#else
  return -ENOSYS;
#endif
}

long process_signal(int process, int signal) { return kill(-process, signal) == 0 ? 0 : -(long)errno; }

int process_has_ended(int process) {
  siginfo_t info = {0};
  while (waitid(P_PID, (id_t)process, &info, WEXITED | WNOHANG | WNOWAIT) != 0)
    // Nobody else waits for our children; without one there is nothing left to wait for.
    if (errno != EINTR) return 1;
  return info.si_pid == process;
}

long process_reap(int process) {
  int status = 0;
  while (waitpid(process, &status, 0) < 0)
    if (errno != EINTR) return -(long)errno;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
}

void process_wait(const int *descriptors, size_t count, int64_t milliseconds) {
  struct pollfd polled[16];
  if (count > sizeof polled / sizeof *polled) count = sizeof polled / sizeof *polled;
  for (size_t i = 0; i < count; i++) polled[i] = (struct pollfd){.fd = descriptors[i], .events = POLLIN};
  poll(polled, count, milliseconds < 0 ? -1 : milliseconds > INT_MAX ? INT_MAX : (int)milliseconds);
}

long process_start_in_background(const char *words, size_t word_count, int input) {
  char **arguments = calloc(word_count + 1, sizeof *arguments);
  if (arguments == NULL) return -ENOMEM;
  point_to(words, word_count, arguments);
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  pid_t process = 0;
  int error = posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  if (!error) error = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  if (!error) error = posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
  if (!error) error = set_attributes(&attributes, POSIX_SPAWN_SETSID);
  if (!error) error = posix_spawn(&process, "/proc/self/exe", &actions, &attributes, arguments, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  free(arguments);
  return error ? -error : process;
}

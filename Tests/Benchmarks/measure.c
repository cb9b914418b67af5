/* Runs a command and writes what it used: measure RESULT.json PROGRAM [ARGUMENT...]
 *
 * Wall time is from before the start to after the end, by the monotonic clock. CPU time and the largest resident set
 * are those of the program and all its children that were waited for. A small program does this because the figure
 * of the largest resident set includes what the parent had when it made the child: under Python that is 10 MB.
 * SIGTERM is passed on as SIGKILL, and then the result is written as usual. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile pid_t child;

static void kill_child(int number) {
  (void)number;
  if (child > 0) kill(-child, SIGKILL);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec / 1e9;
}

static double seconds(struct timeval t) { return t.tv_sec + t.tv_usec / 1e6; }

int main(int count, char **arguments) {
  if (count < 3) return 2;
  struct sigaction action = {.sa_handler = kill_child};
  sigaction(SIGTERM, &action, NULL);
  double started = now();
  child = fork();
  if (child < 0) return 2;
  if (child == 0) {
    setpgid(0, 0);
    signal(SIGTERM, SIG_DFL);
    execvp(arguments[2], arguments + 2);
    fprintf(stderr, "%s: %s\n", arguments[2], strerror(errno));
    _exit(127);
  }
  setpgid(child, child);
  int status;
  struct rusage usage;
  while (wait4(child, &status, 0, &usage) < 0)
    if (errno != EINTR) return 2;
  double wall = now() - started;
  FILE *file = fopen(arguments[1], "w");
  if (!file) return 2;
  fprintf(file, "{\"wall\": %.6f, \"user\": %.6f, \"system\": %.6f, \"rss_kib\": %ld, \"status\": %d, \"signal\": %d}\n",
          wall, seconds(usage.ru_utime), seconds(usage.ru_stime), usage.ru_maxrss,
          WIFEXITED(status) ? WEXITSTATUS(status) : -1, WIFSIGNALED(status) ? WTERMSIG(status) : 0);
  return fclose(file) == 0 ? 0 : 2;
}

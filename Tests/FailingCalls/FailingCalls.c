// File system calls that fail as on a file system that does not have them.
//
// FAILING_CALLS names them with their errno: `O_TMPFILE=95 flock=37`. The others are made.
#include "FailingCalls.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

// Whether the call is to fail; sets errno then.
static int fails(const char *name) {
  const char *found = getenv("FAILING_CALLS");
  size_t length = strlen(name);
  while (found && *found) {
    if (strncmp(found, name, length) == 0 && found[length] == '=') {
      errno = atoi(found + length + 1);
      return 1;
    }
    found = strchr(found, ' ');
    if (found) found++;
  }
  return 0;
}

#define CALL(name, ...) return fails(#name) ? -1 : syscall(SYS_##name, __VA_ARGS__)

int openat(int directory, const char *path, int flags, ...) {
  int makes = (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE;
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = makes ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  if ((flags & O_TMPFILE) == O_TMPFILE && fails("O_TMPFILE")) return -1;
  return (int)syscall(SYS_openat, directory, path, flags, mode);
}

int flock(int descriptor, int operation) { CALL(flock, descriptor, operation); }

int fsetxattr(int descriptor, const char *name, const void *value, size_t size, int flags) {
  CALL(fsetxattr, descriptor, name, value, size, flags);
}

ssize_t fgetxattr(int descriptor, const char *name, void *value, size_t size) {
  CALL(fgetxattr, descriptor, name, value, size);
}

int renameat2(int from_directory, const char *from, int to_directory, const char *to, unsigned flags) {
  CALL(renameat2, from_directory, from, to_directory, to, flags);
}

int linkat(int from_directory, const char *from, int to_directory, const char *to, int flags) {
  CALL(linkat, from_directory, from, to_directory, to, flags);
}

int fchmod(int descriptor, mode_t mode) { CALL(fchmod, descriptor, mode); }

int futimens(int descriptor, const struct timespec times[2]) {
  return fails("futimens") ? -1 : (int)syscall(SYS_utimensat, descriptor, NULL, times, 0);
}

int fsync(int descriptor) { CALL(fsync, descriptor); }

int fdatasync(int descriptor) { CALL(fdatasync, descriptor); }

int syncfs(int descriptor) { CALL(syncfs, descriptor); }

int sync_file_range(int descriptor, off64_t offset, off64_t count, unsigned flags) {
  CALL(sync_file_range, descriptor, offset, count, flags);
}

int fstatfs(int descriptor, struct statfs *status) { CALL(fstatfs, descriptor, status); }

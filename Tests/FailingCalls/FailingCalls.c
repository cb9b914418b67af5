// File system calls that behave as on a poorer file system.
//
// FAILING_CALLS names those that fail with their errno: `O_TMPFILE=95 flock=37`. The others are made. Besides,
//   fold=1      two names that differ in case, or in how an e with an acute accent is composed, are one,
//   namemax=143 no name has more bytes,
//   room=65536  no more bytes can be written.
// Names are those that are given with an open directory, as swiftget names targets.
#include "FailingCalls.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

// The number that FAILING_CALLS gives the name; 0 for none.
static long given(const char *name) {
  const char *found = getenv("FAILING_CALLS");
  size_t length = strlen(name);
  while (found && *found) {
    if (strncmp(found, name, length) == 0 && found[length] == '=') return atol(found + length + 1);
    found = strchr(found, ' ');
    if (found) found++;
  }
  return 0;
}

// Whether the call is to fail; sets errno then.
static int fails(const char *name) {
  long number = given(name);
  if (number) errno = (int)number;
  return number != 0;
}

// The path as it is stored, in `buffer`; NULL with errno where a name in it is too long.
static const char *stored(int directory, const char *path, char buffer[4096]) {
  long most = given("namemax");
  const char *name = strrchr(path, '/');
  if (most && directory != AT_FDCWD && strlen(name ? name + 1 : path) > (size_t)most) {
    errno = ENAMETOOLONG;
    return NULL;
  }
  if (!given("fold") || directory == AT_FDCWD || path[0] == '/') return path;
  size_t length = 0;
  for (; *path && length < 4094; path++) {
    if (path[0] == '\xcc' && path[1] == '\x81' && length && buffer[length - 1] == 'e') {
      buffer[length - 1] = '\xc3';
      buffer[length++] = '\xa9';
      path++;
    } else {
      buffer[length++] = isascii(*path) ? (char)tolower(*path) : *path;
    }
  }
  buffer[length] = 0;
  return buffer;
}

#define STORED(directory, path)                       \
  char path##_buffer[4096];                           \
  path = stored(directory, path, path##_buffer);      \
  if (!path) return -1

#define CALL(name, ...) return fails(#name) ? -1 : syscall(SYS_##name, __VA_ARGS__)

int openat(int directory, const char *path, int flags, ...) {
  int makes = (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE;
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = makes ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  if ((flags & O_TMPFILE) == O_TMPFILE && fails("O_TMPFILE")) return -1;
  STORED(directory, path);
  return (int)syscall(SYS_openat, directory, path, flags, mode);
}

int flock(int descriptor, int operation) { CALL(flock, descriptor, operation); }

int fsetxattr(int descriptor, const char *name, const void *value, size_t size, int flags) {
  CALL(fsetxattr, descriptor, name, value, size, flags);
}

ssize_t fgetxattr(int descriptor, const char *name, void *value, size_t size) {
  CALL(fgetxattr, descriptor, name, value, size);
}

int fstatat(int directory, const char *path, struct stat *status, int flags) {
  STORED(directory, path);
  return (int)syscall(SYS_newfstatat, directory, path, status, flags);
}

int mkdirat(int directory, const char *path, mode_t mode) {
  STORED(directory, path);
  CALL(mkdirat, directory, path, mode);
}

int unlinkat(int directory, const char *path, int flags) {
  STORED(directory, path);
  CALL(unlinkat, directory, path, flags);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
  static atomic_long written;
  long room = given("room");
  if (room && atomic_fetch_add(&written, (long)count) + (long)count > room) {
    errno = ENOSPC;
    return -1;
  }
  return syscall(SYS_pwrite64, descriptor, bytes, count, offset);
}

int renameat(int from_directory, const char *from, int to_directory, const char *to) {
  STORED(from_directory, from);
  STORED(to_directory, to);
  CALL(renameat, from_directory, from, to_directory, to);
}

int renameat2(int from_directory, const char *from, int to_directory, const char *to, unsigned flags) {
  STORED(from_directory, from);
  STORED(to_directory, to);
  CALL(renameat2, from_directory, from, to_directory, to, flags);
}

int linkat(int from_directory, const char *from, int to_directory, const char *to, int flags) {
  STORED(from_directory, from);
  STORED(to_directory, to);
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

int fstatfs(int descriptor, struct statfs *status) {
  if (fails("fstatfs")) return -1;
  int result = (int)syscall(SYS_fstatfs, descriptor, status);
  if (result == 0 && given("namemax")) status->f_namelen = given("namemax");
  return result;
}

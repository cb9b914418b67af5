#include "FileCalls.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

const int FILE_O_TMPFILE = O_TMPFILE;
const int FILE_O_PATH = O_PATH;
const int FILE_AT_EMPTY_PATH = AT_EMPTY_PATH;
const unsigned FILE_RENAME_NOREPLACE = RENAME_NOREPLACE;
const unsigned FILE_RENAME_EXCHANGE = RENAME_EXCHANGE;

#define REPEATED(call)                         \
  ({                                           \
    long result_;                              \
    do {                                       \
      result_ = (call);                        \
    } while (result_ == -1 && errno == EINTR); \
    result_ == -1 ? -(long)errno : result_;    \
  })

// Copies a path to the stack and ends it with NUL.
#define PATH(name, bytes, length)                         \
  char name[PATH_MAX];                                    \
  {                                                       \
    long refused_ = copy_path(name, bytes, length);       \
    if (refused_ < 0) return refused_;                    \
  }

static long copy_path(char *to, const uint8_t *bytes, size_t length) {
  if (length >= PATH_MAX) return -ENAMETOOLONG;
  if (length > 0 && memchr(bytes, 0, length)) return -EINVAL;
  if (length > 0) memcpy(to, bytes, length);
  to[length] = 0;
  return 0;
}

static void copy_status(struct file_status *to, const struct stat *from) {
  to->size = from->st_size;
  to->modified_seconds = from->st_mtim.tv_sec;
  to->modified_nanoseconds = (int32_t)from->st_mtim.tv_nsec;
  to->changed_seconds = from->st_ctim.tv_sec;
  to->changed_nanoseconds = (int32_t)from->st_ctim.tv_nsec;
  to->mode = from->st_mode;
  to->device = from->st_dev;
  to->inode = from->st_ino;
  to->link_count = from->st_nlink;
  to->owner = from->st_uid;
}

long file_openat(int directory, const uint8_t *path, size_t length, int flags, unsigned mode) {
  PATH(name, path, length);
  return REPEATED(openat(directory, name, flags | O_CLOEXEC, (mode_t)mode));
}

long file_close(int descriptor) {
  if (close(descriptor) == 0) return 0;
  return errno == EINTR ? 0 : -(long)errno;
}

long file_duplicate(int descriptor) { return REPEATED(fcntl(descriptor, F_DUPFD_CLOEXEC, 3)); }

long file_pwrite(int descriptor, const void *bytes, size_t count, int64_t offset) {
  return REPEATED(pwrite(descriptor, bytes, count, (off_t)offset));
}

long file_pread(int descriptor, void *bytes, size_t count, int64_t offset) {
  return REPEATED(pread(descriptor, bytes, count, (off_t)offset));
}

long file_write(int descriptor, const void *bytes, size_t count) { return REPEATED(write(descriptor, bytes, count)); }

long file_fdatasync(int descriptor) { return REPEATED(fdatasync(descriptor)); }

long file_fsync(int descriptor) { return REPEATED(fsync(descriptor)); }

long file_syncfs(int descriptor) { return REPEATED(syncfs(descriptor)); }

long file_sync(void) {
  sync();
  return 0;
}

long file_sync_file_range(int descriptor, int64_t offset, int64_t count) {
  return REPEATED(sync_file_range(descriptor, offset, count, SYNC_FILE_RANGE_WRITE));
}

long file_renameat(int from_directory, const uint8_t *from, size_t from_length, int to_directory, const uint8_t *to,
                   size_t to_length, unsigned flags) {
  PATH(from_name, from, from_length);
  PATH(to_name, to, to_length);
  if (flags == 0) return REPEATED(renameat(from_directory, from_name, to_directory, to_name));
  return REPEATED(renameat2(from_directory, from_name, to_directory, to_name, flags));
}

long file_linkat(int from_directory, const uint8_t *from, size_t from_length, int to_directory, const uint8_t *to,
                 size_t to_length, int flags) {
  PATH(from_name, from, from_length);
  PATH(to_name, to, to_length);
  return REPEATED(linkat(from_directory, from_name, to_directory, to_name, flags));
}

long file_unlinkat(int directory, const uint8_t *path, size_t length) {
  PATH(name, path, length);
  return REPEATED(unlinkat(directory, name, 0));
}

long file_rmdirat(int directory, const uint8_t *path, size_t length) {
  PATH(name, path, length);
  return REPEATED(unlinkat(directory, name, AT_REMOVEDIR));
}

long file_mkdirat(int directory, const uint8_t *path, size_t length, unsigned mode) {
  PATH(name, path, length);
  return REPEATED(mkdirat(directory, name, (mode_t)mode));
}

long file_fstat(int descriptor, struct file_status *status) {
  struct stat found;
  long result = REPEATED(fstat(descriptor, &found));
  if (result == 0) copy_status(status, &found);
  return result;
}

long file_fstatat(int directory, const uint8_t *path, size_t length, struct file_status *status) {
  PATH(name, path, length);
  struct stat found;
  long result = REPEATED(fstatat(directory, name, &found, AT_SYMLINK_NOFOLLOW));
  if (result == 0) copy_status(status, &found);
  return result;
}

long file_lock(int descriptor) { return REPEATED(flock(descriptor, LOCK_EX | LOCK_NB)); }

void file_unlock(int descriptor) { flock(descriptor, LOCK_UN); }

long file_fsetxattr(int descriptor, const char *name, const void *value, size_t count) {
  return REPEATED(fsetxattr(descriptor, name, value, count, 0));
}

long file_fremovexattr(int descriptor, const char *name) { return REPEATED(fremovexattr(descriptor, name)); }

long file_fgetxattr(int descriptor, const char *name, void *value, size_t capacity) {
  return REPEATED(fgetxattr(descriptor, name, value, capacity));
}

/* The C library has no function for it, and its headers may be older than the kernel. */
#if !defined(SYS_getxattrat) && (defined(__x86_64__) || defined(__aarch64__))
#define SYS_getxattrat 464
#endif

long file_getxattrat(int directory, const uint8_t *path, size_t length, const char *name, void *value,
                     size_t capacity) {
#ifdef SYS_getxattrat
  PATH(file, path, length);
  /* struct xattr_args of linux/xattr.h */
  struct {
    uint64_t value __attribute__((aligned(8)));
    uint32_t size;
    uint32_t flags;
  } arguments = {(uintptr_t)value, (uint32_t)capacity, 0};
  return REPEATED(
      syscall(SYS_getxattrat, directory, file, AT_SYMLINK_NOFOLLOW, name, &arguments, sizeof arguments));
#else
  return -ENOSYS;
#endif
}

static void copy_owner(const struct stat *source, int to) {
  struct stat target;
  if (fstat(to, &target) == 0 && (source->st_uid != target.st_uid || source->st_gid != target.st_gid) &&
      fchown(to, source->st_uid, source->st_gid) != 0)
    // The group alone may be one of ours.
    (void)!fchown(to, (uid_t)-1, source->st_gid);
}

#define ACCESS_LIST "system.posix_acl_access"
#define DEFAULT_LIST "system.posix_acl_default"

/* A descriptor that is open with O_PATH has no attributes itself. */
static const char *attribute_path(int descriptor, char path[32]) {
  snprintf(path, 32, "/proc/self/fd/%d", descriptor);
  return path;
}

int file_has_default_access_list(int directory) {
  char path[32];
  ssize_t length = fgetxattr(directory, DEFAULT_LIST, NULL, 0);
  if (length < 0 && errno == EBADF) length = getxattr(attribute_path(directory, path), DEFAULT_LIST, NULL, 0);
  return length > 0;
}

/* What an access control list gives the group of the file: as permission bits of that group. Of linux/posix_acl_xattr.h, in
   the order of bytes of x86 and ARM. */
static unsigned group_bits(const char *list, ssize_t length) {
  struct {
    uint16_t tag, bits;
    uint32_t id;
  } entry;
  unsigned group = 0, mask = 7;
  for (ssize_t at = 4; at + (ssize_t)sizeof entry <= length; at += sizeof entry) {
    memcpy(&entry, list + at, sizeof entry);
    if (entry.tag == 0x04) group = entry.bits;
    if (entry.tag == 0x10) mask = entry.bits;
  }
  return (group & mask & 7) << 3;
}

long file_copy_rights(int from, int to) {
  struct stat source;
  if (fstat(from, &source) != 0) return -errno;
  copy_owner(&source, to);
  unsigned mode = source.st_mode & 0777;
  char path[32], list[4096];
  ssize_t length = getxattr(attribute_path(from, path), ACCESS_LIST, list, sizeof list);
  if (length <= 0)
    (void)!fremovexattr(to, ACCESS_LIST);
  else if (fsetxattr(to, ACCESS_LIST, list, (size_t)length, 0) != 0)
    /* The bits of the group were the most that the list gives to anybody. */
    mode = (mode & ~070u) | group_bits(list, length);
  return (long)mode;
}

long file_copy_ownership(int from, int to) {
  struct stat source;
  if (fstat(from, &source) == 0) copy_owner(&source, to);
  char names[4096], value[4096];
  ssize_t length = flistxattr(from, names, sizeof names);
  for (char *name = names; length > 0 && name < names + length; name += strlen(name) + 1) {
    ssize_t count = fgetxattr(from, name, value, sizeof value);
    if (count >= 0) (void)fsetxattr(to, name, value, (size_t)count, 0);
  }
  return 0;
}

long file_futimens(int descriptor, int64_t seconds, int32_t nanoseconds, int now) {
  struct timespec times[2] = {{.tv_sec = 0, .tv_nsec = UTIME_NOW}, {.tv_sec = seconds, .tv_nsec = nanoseconds}};
  if (now) times[1] = times[0];
  return REPEATED(futimens(descriptor, times));
}

long file_fchmod(int descriptor, unsigned mode) { return REPEATED(fchmod(descriptor, (mode_t)mode)); }

long file_ftruncate(int descriptor, int64_t length) { return REPEATED(ftruncate(descriptor, (off_t)length)); }

long file_fstatfs(int descriptor, struct file_system_status *status) {
  struct statfs found;
  long result = REPEATED(fstatfs(descriptor, &found));
  if (result == 0) {
    status->block_size = found.f_frsize > 0 ? found.f_frsize : found.f_bsize;
    status->blocks = found.f_blocks;
    status->available_blocks = found.f_bavail;
    status->in_memory = found.f_type == TMPFS_MAGIC || found.f_type == RAMFS_MAGIC;
    status->name_limit = found.f_namelen;
    status->overlay = found.f_type == OVERLAYFS_SUPER_MAGIC;
    // linux/magic.h; those that it lacks are in the kernel's fs/smb, fs/ceph and fs/fuse.
    switch ((uint32_t)found.f_type) {
      case 0x6969: case 0x517b: case 0xff534d42: case 0xfe534d42: case 0x00c36400: case 0x5346414f: case 0x01021997:
      case 0x65735546:
        status->remote = 1;
    }
  }
  return result;
}

int file_is_mount(const uint8_t *name, size_t length, int directory) {
#ifdef STATX_ATTR_MOUNT_ROOT
  char path[NAME_MAX + 1];
  struct statx found;
  if (length > NAME_MAX) return 0;
  memcpy(path, name, length);
  path[length] = 0;
  return statx(directory, path, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT, STATX_TYPE, &found) == 0 &&
         (found.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
#else
  return 0;
#endif
}

int file_may_write(int directory, const uint8_t *name, size_t length) {
  char path[NAME_MAX + 1];
  if (length > NAME_MAX) return 0;
  memcpy(path, name, length);
  path[length] = 0;
  return faccessat(directory, path, W_OK, AT_EACCESS) == 0;
}

long file_poll_writable(int descriptor, int milliseconds) {
  struct pollfd polled = {.fd = descriptor, .events = POLLOUT};
  return REPEATED(poll(&polled, 1, milliseconds));
}

const char *file_error_text(int error, char *buffer, size_t capacity) { return strerror_r(error, buffer, capacity); }

long file_thread(void) { return syscall(SYS_gettid); }

unsigned file_swap_umask(void) {
  mode_t found = umask(0);
  umask(found);
  return found;
}

int file_kernel_is_at_least(int major, int minor) {
  struct utsname name;
  int found_major = 0, found_minor = 0;
  if (uname(&name) != 0 || sscanf(name.release, "%d.%d", &found_major, &found_minor) < 2) return 0;
  return found_major > major || (found_major == major && found_minor >= minor);
}

long file_open_standard_descriptors(void) {
  for (int descriptor = 0; descriptor <= 2; descriptor++) {
    if (fcntl(descriptor, F_GETFD) != -1 || errno != EBADF) continue;
    // All lower descriptors are open, so open() returns this one. It is opened for the wrong direction, so that its use
    // still fails and requested output is not lost silently. Reopening it through /dev/fd gives a full device.
    long opened = -1;
    if (descriptor > 0) opened = REPEATED(open("/dev/full", O_RDONLY));
    if (opened < 0) opened = REPEATED(open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY));
    if (opened < 0) return opened;
  }
  return 0;
}

long file_raise_descriptor_limit(uint64_t wanted) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return -(long)errno;
  rlim_t aim = limit.rlim_max == RLIM_INFINITY || limit.rlim_max > wanted ? (rlim_t)wanted : limit.rlim_max;
  if (limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < aim) {
    rlim_t before = limit.rlim_cur;
    limit.rlim_cur = aim;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0) return (long)before;
  }
  return limit.rlim_cur == RLIM_INFINITY ? LONG_MAX : (long)limit.rlim_cur;
}

long file_set_signals(void) {
  struct sigaction ignore = {.sa_handler = SIG_IGN}, usual = {.sa_handler = SIG_DFL};
  if (sigaction(SIGPIPE, &ignore, NULL) != 0 || sigaction(SIGXFSZ, &ignore, NULL) != 0) return -(long)errno;
  // The end of a child whose parent ignores the signal cannot be waited for.
  if (sigaction(SIGCHLD, &usual, NULL) != 0) return -(long)errno;
  return 0;
}

long file_next_name(void *stream, const char **name) {
  while (1) {
    errno = 0;
    struct dirent *entry = readdir(stream);
    if (entry == NULL) return errno == 0 ? 0 : -(long)errno;
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    *name = entry->d_name;
    return 1;
  }
}

int file_processor_count(void) {
  cpu_set_t set;
  // EINVAL on a machine with more than 1024 processors.
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  long count = sysconf(_SC_NPROCESSORS_ONLN);
  return count < 1 ? 1 : (int)count;
}

// Linux file calls for DownloadFiles, with one convention, including names that Glibc's module hides.
//
// Functions that return long return the result of the call, or -errno. Interrupted calls are repeated. Paths are bytes
// with a length; a NUL gives EINVAL, PATH_MAX or more bytes give ENAMETOOLONG.
#pragma once

#include <stdint.h>
#include <sys/types.h>

extern const int FILE_O_TMPFILE;
extern const int FILE_O_PATH;
extern const int FILE_AT_EMPTY_PATH;
extern const unsigned FILE_RENAME_NOREPLACE;
extern const unsigned FILE_RENAME_EXCHANGE;

struct file_status {
  int64_t size;
  int64_t modified_seconds;
  int32_t modified_nanoseconds;
  int32_t changed_nanoseconds;
  int64_t changed_seconds;
  uint32_t mode;
  uint64_t device;
  uint64_t inode;
  uint64_t link_count;
  uint32_t owner;
};

struct file_system_status {
  int64_t block_size;
  uint64_t blocks;
  // Blocks available to an unprivileged process.
  uint64_t available_blocks;
  // Not zero for tmpfs and ramfs.
  int in_memory;
  // Not zero for overlayfs.
  int overlay;
  // Not zero where another machine or a program of the user has the files: NFS, SMB, Ceph, AFS, 9P, FUSE.
  int remote;
  // The most bytes of a name.
  int64_t name_limit;
};

long file_openat(int directory, const uint8_t *path, size_t length, int flags, unsigned mode);
// Not repeated: on Linux EINTR closes the descriptor, too, so it counts as success.
long file_close(int descriptor);
long file_duplicate(int descriptor);
long file_pwrite(int descriptor, const void *bytes, size_t count, int64_t offset);
long file_pread(int descriptor, void *bytes, size_t count, int64_t offset);
long file_write(int descriptor, const void *bytes, size_t count);
long file_fdatasync(int descriptor);
long file_fsync(int descriptor);
long file_syncfs(int descriptor);
long file_sync(void);
long file_sync_file_range(int descriptor, int64_t offset, int64_t count);
long file_renameat(int from_directory, const uint8_t *from, size_t from_length, int to_directory, const uint8_t *to,
                   size_t to_length, unsigned flags);
long file_linkat(int from_directory, const uint8_t *from, size_t from_length, int to_directory, const uint8_t *to,
                 size_t to_length, int flags);
long file_unlinkat(int directory, const uint8_t *path, size_t length);
long file_rmdirat(int directory, const uint8_t *path, size_t length);
long file_mkdirat(int directory, const uint8_t *path, size_t length, unsigned mode);
long file_fstat(int descriptor, struct file_status *status);
// Does not follow a link in the last component.
long file_fstatat(int directory, const uint8_t *path, size_t length, struct file_status *status);
// LOCK_EX | LOCK_NB.
long file_lock(int descriptor);
void file_unlock(int descriptor);
long file_fsetxattr(int descriptor, const char *name, const void *value, size_t count);
long file_fremovexattr(int descriptor, const char *name);
long file_fgetxattr(int descriptor, const char *name, void *value, size_t capacity);
/* getxattrat of Linux 6.13, which follows no link; -ENOSYS where the kernel or the C library does not know it. */
long file_getxattrat(int directory, const uint8_t *path, size_t length, const char *name, void *value,
                     size_t capacity);
// Whether new files get their rights from the directory's default access control list (acl(5)). `directory` may be open with
// O_PATH.
int file_has_default_access_list(int directory);
// Gives `to` the owner, the group and the extended attributes of `from`, access control lists included, as far as the
// system lets it. Returns 0.
long file_copy_ownership(int from, int to);
// Gives `to` the owner, the group and the access control list of `from`, as far as the system lets it. Returns the permission
// bits that `to` is to get after that, without set-user-ID, set-group-ID and sticky. `from` may be open with O_PATH.
long file_copy_rights(int from, int to);
// Sets the modification time, or the current time if `now` is not zero. The access time becomes the current time.
long file_futimens(int descriptor, int64_t seconds, int32_t nanoseconds, int now);
long file_fchmod(int descriptor, unsigned mode);
long file_ftruncate(int descriptor, int64_t length);
long file_fstatfs(int descriptor, struct file_system_status *status);
// Waits until `descriptor` is writable or has failed and returns 1, or 0 after `milliseconds` (-1: no limit).
long file_poll_writable(int descriptor, int milliseconds);

// The next name of a directory stream other than "." and "..", valid until the next call: returns 1, 0 at the end.
long file_next_name(void *stream, const char **name);

// Whether the directory is the root of a mount: 1, or 0 where it is not and where the kernel does not tell (before 5.8).
int file_is_mount(const uint8_t *name, size_t length, int directory);
// Whether this process may write to the directory: 1 or 0.
int file_may_write(int directory, const uint8_t *name, size_t length);

// The number of processors that this process may use, at least 1.
int file_processor_count(void);

// The text of an errno, never NULL. May use `buffer`.
const char *file_error_text(int error, char *buffer, size_t capacity);
// gettid. pthread_self is declared const, so the compiler may reuse its result on another thread.
long file_thread(void);
// Reads the umask by setting it for a moment: call it only before a second thread exists.
unsigned file_swap_umask(void);
// Whether the kernel is `major`.`minor` or newer.
int file_kernel_is_at_least(int major, int minor);

// Opens a device on each of the descriptors 0 to 2 that is closed, so that using it still fails with EBADF.
long file_open_standard_descriptors(void);
// Raises the soft limit of descriptors to min(hard limit, wanted) and returns the limit now in force.
long file_raise_descriptor_limit(uint64_t wanted);
// Ignores SIGPIPE and SIGXFSZ, and does not ignore SIGCHLD.
long file_set_signals(void);

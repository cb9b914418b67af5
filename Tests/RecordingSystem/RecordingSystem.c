#include "RecordingSystem.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static recording_call *calls;
static size_t count, capacity;
static int records;
static atomic_int failure;

typedef struct {
  sqlite3_file base;
  char name[64];
  // Followed by the file of the layer below.
} recorded_file;

static sqlite3_file *below(sqlite3_file *file) { return (sqlite3_file *)((recorded_file *)file + 1); }

static void short_name(char *name, const char *path) {
  const char *slash = path ? strrchr(path, '/') : NULL;
  strncpy(name, path ? (slash ? slash + 1 : path) : "", 63);
  name[63] = 0;
}

static void record(int kind, const char *name, int64_t offset, int64_t length, const void *bytes) {
  pthread_mutex_lock(&lock);
  if (records) {
    if (count == capacity) calls = realloc(calls, (capacity = capacity ? 2 * capacity : 1024) * sizeof *calls);
    recording_call *call = &calls[count++];
    memset(call, 0, sizeof *call);
    call->kind = kind;
    strcpy(call->name, name);
    call->offset = offset;
    call->length = length;
    if (bytes) {
      unsigned char *copy = malloc(length ? (size_t)length : 1);
      memcpy(copy, bytes, (size_t)length);
      call->bytes = copy;
    }
  }
  pthread_mutex_unlock(&lock);
}

static int closes(sqlite3_file *file) { return below(file)->pMethods->xClose(below(file)); }

static int reads(sqlite3_file *file, void *bytes, int length, sqlite3_int64 offset) {
  return below(file)->pMethods->xRead(below(file), bytes, length, offset);
}

static int writes(sqlite3_file *file, const void *bytes, int length, sqlite3_int64 offset) {
  if (failure) return failure;
  int code = below(file)->pMethods->xWrite(below(file), bytes, length, offset);
  if (code == SQLITE_OK) record(RECORDING_WRITE, ((recorded_file *)file)->name, offset, length, bytes);
  return code;
}

static int truncates(sqlite3_file *file, sqlite3_int64 length) {
  if (failure) return failure;
  int code = below(file)->pMethods->xTruncate(below(file), length);
  if (code == SQLITE_OK) record(RECORDING_TRUNCATE, ((recorded_file *)file)->name, 0, length, NULL);
  return code;
}

static int syncs(sqlite3_file *file, int flags) {
  if (failure) return failure;
  int code = below(file)->pMethods->xSync(below(file), flags);
  if (code == SQLITE_OK) record(RECORDING_SYNC, ((recorded_file *)file)->name, 0, 0, NULL);
  return code;
}

static int sizes(sqlite3_file *file, sqlite3_int64 *size) { return below(file)->pMethods->xFileSize(below(file), size); }
static int locks(sqlite3_file *file, int level) { return below(file)->pMethods->xLock(below(file), level); }
static int unlocks(sqlite3_file *file, int level) { return below(file)->pMethods->xUnlock(below(file), level); }

static int reserved(sqlite3_file *file, int *held) {
  return below(file)->pMethods->xCheckReservedLock(below(file), held);
}

static int controls(sqlite3_file *file, int operation, void *argument) {
  // Room that is made in other ways than by writes would not be recorded.
  if (operation == SQLITE_FCNTL_CHUNK_SIZE || operation == SQLITE_FCNTL_SIZE_HINT) return SQLITE_OK;
  return below(file)->pMethods->xFileControl(below(file), operation, argument);
}

static int sector_size(sqlite3_file *file) { return below(file)->pMethods->xSectorSize(below(file)); }
static int properties(sqlite3_file *file) { return below(file)->pMethods->xDeviceCharacteristics(below(file)); }

// Version 1: no shared memory and no mapping.
static const sqlite3_io_methods methods = {
  1, closes, reads, writes, truncates, syncs, sizes, locks, unlocks, reserved, controls, sector_size, properties,
};

static sqlite3_vfs *system_below(sqlite3_vfs *system) { return system->pAppData; }

static int opens(sqlite3_vfs *system, const char *path, sqlite3_file *file, int flags, int *got) {
  sqlite3_vfs *lower = system_below(system);
  recorded_file *recorded = (recorded_file *)file;
  int existed = 0;
  memset(recorded, 0, sizeof *recorded);
  short_name(recorded->name, path);
  if (path && flags & SQLITE_OPEN_CREATE) lower->xAccess(lower, path, SQLITE_ACCESS_EXISTS, &existed);
  int code = lower->xOpen(lower, path, below(file), flags, got);
  if (code != SQLITE_OK) return code;
  recorded->base.pMethods = &methods;
  if (path && flags & SQLITE_OPEN_CREATE && !existed) record(RECORDING_CREATE, recorded->name, 0, 0, NULL);
  return code;
}

static int removes(sqlite3_vfs *system, const char *path, int syncs_directory) {
  sqlite3_vfs *lower = system_below(system);
  char name[64];
  int code = lower->xDelete(lower, path, syncs_directory);
  short_name(name, path);
  if (code == SQLITE_OK) record(RECORDING_REMOVE, name, 0, syncs_directory, NULL);
  return code;
}

static int accesses(sqlite3_vfs *system, const char *path, int flags, int *answer) {
  return system_below(system)->xAccess(system_below(system), path, flags, answer);
}

static int full_path(sqlite3_vfs *system, const char *path, int length, char *full) {
  return system_below(system)->xFullPathname(system_below(system), path, length, full);
}

static int randomness(sqlite3_vfs *system, int length, char *bytes) {
  return system_below(system)->xRandomness(system_below(system), length, bytes);
}

static int sleeps(sqlite3_vfs *system, int microseconds) {
  return system_below(system)->xSleep(system_below(system), microseconds);
}

static int current_time(sqlite3_vfs *system, double *time) {
  return system_below(system)->xCurrentTime(system_below(system), time);
}

static int last_error(sqlite3_vfs *system, int length, char *text) {
  return system_below(system)->xGetLastError(system_below(system), length, text);
}

int recording_register(void) {
  static sqlite3_vfs system;
  pthread_mutex_lock(&lock);
  sqlite3_vfs *lower = sqlite3_vfs_find("unix-none");
  int code = SQLITE_OK;
  if (!system.zName) {
    system.iVersion = 1;
    system.szOsFile = (int)sizeof(recorded_file) + lower->szOsFile;
    system.mxPathname = lower->mxPathname;
    system.zName = "recording";
    system.pAppData = lower;
    system.xOpen = opens;
    system.xDelete = removes;
    system.xAccess = accesses;
    system.xFullPathname = full_path;
    system.xRandomness = randomness;
    system.xSleep = sleeps;
    system.xCurrentTime = current_time;
    system.xGetLastError = last_error;
    code = sqlite3_vfs_register(&system, 0);
  }
  pthread_mutex_unlock(&lock);
  return code;
}

void recording_begin(int wanted) {
  pthread_mutex_lock(&lock);
  for (size_t index = 0; index < count; index++) free((void *)calls[index].bytes);
  count = 0;
  records = wanted;
  pthread_mutex_unlock(&lock);
}

size_t recording_count(void) {
  pthread_mutex_lock(&lock);
  size_t result = count;
  pthread_mutex_unlock(&lock);
  return result;
}

recording_call recording_at(size_t index) {
  pthread_mutex_lock(&lock);
  recording_call call = calls[index];
  pthread_mutex_unlock(&lock);
  return call;
}

void recording_fail(int code) { failure = code; }

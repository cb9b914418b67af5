// A layer below SQLite that records what it does with files, and can make it fail.
#include <stddef.h>
#include <stdint.h>

enum recording_kind { RECORDING_CREATE = 1, RECORDING_WRITE, RECORDING_TRUNCATE, RECORDING_SYNC, RECORDING_REMOVE };

typedef struct {
  int kind;
  // The last part of the path.
  char name[64];
  int64_t offset;
  int64_t length;
  const unsigned char *bytes;
} recording_call;

// Registers the VFS `recording` over `unix-none`; once is enough. Returns a result code of SQLite.
int recording_register(void);
// Forgets what was recorded. With `records` 0 nothing more is.
void recording_begin(int records);
size_t recording_count(void);
recording_call recording_at(size_t index);
// From now on, writes, truncations and syncs fail with this code of SQLite; 0 ends that.
void recording_fail(int code);

#include "AllocationCounter.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

static atomic_ulong before_start;
static atomic_ulong *count = &before_start;

// A mapping outlives the program, however it ends.
__attribute__((constructor)) static void start(void) {
  const char *path = getenv("ALLOCATION_COUNT");
  int descriptor = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
  void *mapping;
  if (descriptor < 0) return;
  mapping = mmap(NULL, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  close(descriptor);
  if (mapping != MAP_FAILED) count = mapping;
}

static void counted(void) { atomic_fetch_add_explicit(count, 1, memory_order_relaxed); }

void *malloc(size_t size) {
  counted();
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  counted();
  return __libc_calloc(number, size);
}

void *realloc(void *memory, size_t size) {
  counted();
  return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  counted();
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
  void *made = aligned_alloc(alignment, size);
  if (!made) return ENOMEM;
  *memory = made;
  return 0;
}

// The process's heap.
#pragma once

/// Gives memory back to the system that was freed. Without the GNU C library it does nothing. See malloc_trim(3).
void memory_give_back(void);

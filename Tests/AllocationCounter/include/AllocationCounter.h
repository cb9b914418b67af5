// Loaded into a program with LD_PRELOAD, counts its allocations in the 8 bytes of the file that ALLOCATION_COUNT names.

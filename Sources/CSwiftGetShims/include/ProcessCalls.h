// Child processes. Every function that may fail returns -errno.
#ifndef SWIFTGET_PROCESS_CALLS_H
#define SWIFTGET_PROCESS_CALLS_H

#include <stddef.h>
#include <stdint.h>

// Starts a program without a shell, in a process group of its own, and returns its process id.
//
// `words` are `word_count` strings, one after the other, each with its NUL: the program, which is looked for in PATH
// unless it has a slash, and its arguments. `variables` are strings of the same form, NAME=VALUE, which are added to the
// environment of this process and stand before it; of that, variables that begin with SWIFTGET_ are left out.
//
// The child gets no other descriptors than the following, all signals with their default dispositions, and none of them
// blocked. Standard input is /dev/null. Standard error is ours, or /dev/null where that cannot be written to or
// `is_silent` is not 0. Standard output is `output`, or standard error if that is negative. `descriptors` have the numbers
// from 3 on. It runs in `directory`, or where we do if that is empty.
long process_start(const char *words, size_t word_count, const char *variables, size_t variable_count,
                   const char *directory, int is_silent, int output, const int *descriptors, size_t descriptor_count);
// A descriptor that becomes readable when the child has ended. -ENOSYS before Linux 5.3.
long process_open(int process);
// Sends a signal to the child's process group. Only before `process_reap`.
long process_signal(int process, int signal);
// Whether the child has ended and waits to be reaped.
int process_has_ended(int process);
// Reaps a child that has ended: its exit status, or 256 plus the signal that ended it.
long process_reap(int process);
// Waits until one of the descriptors is readable or, unless it is negative, for this time; -1 as a descriptor is none.
void process_wait(const int *descriptors, size_t count, int64_t milliseconds);

/// Starts a copy of this program in a session of its own, which no signal of this terminal reaches. It keeps standard error.
///
/// `words` are its arguments, the program's name first, each with a zero byte at its end; `input` becomes its standard input.
/// Returns the process, or a negative errno.
long process_start_in_background(const char *words, size_t word_count, int input);

#endif

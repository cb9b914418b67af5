// getopt_long without its global variables, which Swift 6 refuses, and without its error messages.
#pragma once

#include <getopt.h>

/// The result of one step.
typedef struct {
  /// The option's value; -1 after the last option, '?' for an invalid one, ':' for a missing argument.
  int value;
  /// Points into `words`; NULL where the option has no argument.
  const char *argument;
  /// The index of the next word; at the end, of the first operand.
  int next;
  /// With '?' and ':': the option's value or character; 0 for a long option that is unknown or ambiguous.
  int refused;
} swiftget_option_step;

/// Starts a scan. Its position is process-wide, so there can be only one scan at a time.
void swiftget_options_begin(void);

/// Takes one step. Moves operands to the end of `words`.
swiftget_option_step swiftget_options_next(
    int count, char *const *words, const char *short_options, const struct option *long_options);

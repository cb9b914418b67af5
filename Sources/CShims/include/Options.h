// getopt_long without its globals in sight: Swift 6 refuses them, and the words of errors are ours.
#pragma once

#include <getopt.h>

/// What one step through the words of a command line found.
typedef struct {
  /// The option's value, -1 after the last one, '?' where it is refused, ':' where its argument is missing.
  int value;
  /// Points into the words given; NULL where the option has no argument.
  const char *argument;
  /// Index of the word that comes next; at the end, of the first word that is no option.
  int next;
  /// With '?' and ':': the refused option's value or character; 0 for a long one that is unknown or ambiguous.
  int refused;
} swiftget_option_step;

/// Starts over. The scan keeps its place in process-wide variables: one at a time.
void swiftget_options_begin(void);

/// Takes one step. Words are moved so that those which are no options come last.
swiftget_option_step swiftget_options_next(
    int count, char *const *words, const char *short_options, const struct option *long_options);

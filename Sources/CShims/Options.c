#include "Options.h"

#include <stddef.h>

void swiftget_options_begin(void) {
  optind = 0;  // glibc: forget the last scan entirely, bundles of short options included
  opterr = 0;
  optopt = 0;
  optarg = NULL;
}

swiftget_option_step swiftget_options_next(
    int count, char *const *words, const char *short_options, const struct option *long_options) {
  optarg = NULL;
  optopt = 0;
  int value = getopt_long(count, words, short_options, long_options, NULL);
  swiftget_option_step step = {value, optarg, optind, optopt};
  return step;
}

#include "Arguments.h"

#include <stddef.h>

static int count;
static char *const *words;

// Swift reads CommandLine from /proc, which may not be mounted. glibc passes the arguments to constructors.
__attribute__((constructor)) static void take_arguments(int argument_count, char **arguments) {
  count = argument_count;
  words = arguments;
}

int swiftget_argument_count(void) { return count; }

char *const *swiftget_arguments(void) { return words; }

#include "Manual.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const char command[] = {
#embed "../../man/swiftget.1.in" suffix(,)
  0
};

static const char guide[] = {
#embed "../../man/swiftget-guide.7.in" suffix(,)
  0
};

static const char output[] = {
#embed "../../man/swiftget-output.5.in" suffix(,)
  0
};

const char *shim_manual_command(void) { return command; }
const char *shim_manual_guide(void) { return guide; }
const char *shim_manual_output(void) { return output; }

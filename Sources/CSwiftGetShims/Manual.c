#include "Manual.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const char text[] = {
#embed "../../man/swiftget.1.in" suffix(,)
  0
};

const char *shim_manual(void) { return text; }

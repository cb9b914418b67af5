#ifndef SHIM_MANUAL_H
#define SHIM_MANUAL_H

/// The text of man/swiftget.1.in.
const char *shim_manual(void);

#endif

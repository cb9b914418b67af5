#ifndef SHIM_MANUAL_H
#define SHIM_MANUAL_H

/// The text of man/swiftget.1.in.
const char *shim_manual_command(void);
/// The text of man/swiftget-guide.7.in.
const char *shim_manual_guide(void);
/// The text of man/swiftget-output.5.in.
const char *shim_manual_output(void);

#endif

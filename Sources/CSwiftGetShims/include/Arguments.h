// The command line of the process.
#pragma once

/// Includes the program's name.
int swiftget_argument_count(void);

/// The arguments; valid for the lifetime of the process.
char *const *swiftget_arguments(void);

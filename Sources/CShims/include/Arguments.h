// The arguments that the process was started with.
#pragma once

/// The program's name included.
int swiftget_argument_count(void);

/// As many words as there are arguments; they live as long as the process.
char *const *swiftget_arguments(void);

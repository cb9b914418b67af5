// Everything Swift imports from C shims; each header says what it is for.
#pragma once

#include "Options.h"

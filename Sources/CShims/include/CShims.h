// Everything Swift imports from C shims; each header says what it is for.
#pragma once

#include "Arguments.h"
#include "Curl.h"
#include "EventCalls.h"
#include "FileCalls.h"
#include "Options.h"
#include "TLSEnd.h"

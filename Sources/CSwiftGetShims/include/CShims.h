// The umbrella header that Swift imports.
#pragma once

#include "Arguments.h"
#include "Curl.h"
#include "EventCalls.h"
#include "FileCalls.h"
#include "Manual.h"
#include "Memory.h"
#include "NetworkCalls.h"
#include "ProcessCalls.h"
#include "SocketCalls.h"
#include "TLSEnd.h"

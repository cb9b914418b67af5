#ifndef SWIFTGET_CSHIMS_H
#define SWIFTGET_CSHIMS_H

#include "Curl.h"
#include "EventCalls.h"

#endif

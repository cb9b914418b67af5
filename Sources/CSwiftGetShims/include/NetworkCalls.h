// The network's coming and going (rtnetlink(7)), with the convention of FileCalls.h.
#pragma once

// A descriptor that is readable after an interface or an address has changed.
long network_watch(void);
// Makes it unreadable again.
void network_clear_watch(int watch);
// Whether an interface that runs has an address with which other machines can be reached: neither loopback's nor one that
// is valid on its link only. True if the system does not say.
int network_is_available(void);

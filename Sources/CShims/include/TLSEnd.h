// How a TLS connection of libcurl's came to its end: with close_notify, or just so, as anybody on the way can make it.
#ifndef SWIFTGET_TLS_END_H
#define SWIFTGET_TLS_END_H

#include <curl/curl.h>

// What is known of one connection's end. It outlives the connection, and belongs to the thread that drives it.
typedef struct shim_tls_end shim_tls_end;

// Has the connections that `easy` makes note how they end; a libcurl without OpenSSL returns an error.
CURLcode shim_easy_note_tls_end(CURL *easy);
// That of the connection to the origin on which `easy` is being answered, a proxy's TLS aside; valid inside libcurl's
// callbacks. NULL without OpenSSL. To be released.
shim_tls_end *shim_easy_tls_end(CURL *easy);
// Not 0 once the peer has sent close_notify.
int shim_tls_end_is_notified(const shim_tls_end *end);
void shim_tls_end_release(shim_tls_end *end);

#endif

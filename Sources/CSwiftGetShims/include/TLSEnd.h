// Whether a TLS connection of libcurl ended with close_notify. Without it, anyone on the network may have cut it.
#ifndef SWIFTGET_TLS_END_H
#define SWIFTGET_TLS_END_H

#include <curl/curl.h>

// The end of one connection. Reference-counted; outlives the connection. One thread.
typedef struct shim_tls_end shim_tls_end;

// Records how the connections of `easy` end. Returns an error where libcurl does not use OpenSSL.
CURLcode shim_easy_note_tls_end(CURL *easy);
// The end of the connection to the origin that answers `easy`, not of that to a proxy. Call it inside libcurl's
// callbacks. NULL without OpenSSL. The caller releases it.
shim_tls_end *shim_easy_tls_end(CURL *easy);
// Not 0 once the peer has sent close_notify.
int shim_tls_end_is_notified(const shim_tls_end *end);
void shim_tls_end_release(shim_tls_end *end);

#endif

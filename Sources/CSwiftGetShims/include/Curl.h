// Typed wrappers of libcurl's variadic functions, one per argument type, so that the C compiler checks arguments.
#ifndef SWIFTGET_CURL_H
#define SWIFTGET_CURL_H

#include <curl/curl.h>

CURLcode shim_easy_set_long(CURL *easy, CURLoption option, long value);
CURLcode shim_easy_set_string(CURL *easy, CURLoption option, const char *value);
// Programs that this process starts do not inherit the sockets: they would keep connections open. libcurl 7.88 opens
// sockets without SOCK_CLOEXEC.
CURLcode shim_easy_set_close_on_exec(CURL *easy);
CURLcode shim_easy_set_list(CURL *easy, CURLoption option, struct curl_slist *value);
CURLcode shim_easy_set_error_buffer(CURL *easy, char *buffer);
CURLcode shim_easy_set_share(CURL *easy, CURLSH *share);

typedef size_t (*shim_bytes_callback)(char *bytes, size_t size, size_t count, void *context);
CURLcode shim_easy_set_write(CURL *easy, shim_bytes_callback callback, void *context);
CURLcode shim_easy_set_header(CURL *easy, shim_bytes_callback callback, void *context);

CURLcode shim_easy_get_long(CURL *easy, CURLINFO info, long *value);
/// The text belongs to the handle.
CURLcode shim_easy_get_string(CURL *easy, CURLINFO info, const char **value);
CURLcode shim_easy_get_offset(CURL *easy, CURLINFO info, curl_off_t *value);
// The caller frees the list with curl_slist_free_all.
CURLcode shim_easy_get_list(CURL *easy, CURLINFO info, struct curl_slist **value);
// The properties of the peer's own certificate as lines `NAME:VALUE`, which the handle owns. NULL without
// CURLOPT_CERTINFO, and where no connection was made.
const struct curl_slist *shim_easy_peer_certificate(CURL *easy);

typedef int (*shim_socket_callback)(CURL *easy, curl_socket_t socket, int what, void *context, void *socket_context);
typedef int (*shim_timer_callback)(CURLM *multi, long milliseconds, void *context);
CURLMcode shim_multi_set_socket(CURLM *multi, shim_socket_callback callback, void *context);
CURLMcode shim_multi_set_timer(CURLM *multi, shim_timer_callback callback, void *context);
CURLMcode shim_multi_set_long(CURLM *multi, CURLMoption option, long value);
CURLSHcode shim_share_data(CURLSH *share, curl_lock_data data);

// Takes the message of the next finished transfer; 0 where there is none.
int shim_multi_next_done(CURLM *multi, CURL **easy, CURLcode *result);

// The host of a URL with its international labels as A-labels (RFC 5890), whatever the locale of the process.
// The caller frees it with curl_free.
CURLUcode shim_url_get_ascii_host(CURLU *url, char **host);

long shim_auth_basic(void);
long shim_auth_basic_or_digest(void);

// Initializes OpenSSL without its atexit handler, which races with threads that still free handles.
int shim_tls_without_atexit(void);

#endif

#include "Curl.h"
#include <locale.h>
#include <openssl/crypto.h>
#include <sys/socket.h>

CURLcode shim_easy_set_long(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}
CURLcode shim_easy_set_string(CURL *easy, CURLoption option, const char *value) {
  return curl_easy_setopt(easy, option, value);
}
CURLcode shim_easy_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
  return curl_easy_setopt(easy, option, value);
}
CURLcode shim_easy_set_error_buffer(CURL *easy, char *buffer) {
  return curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, buffer);
}
CURLcode shim_easy_set_share(CURL *easy, CURLSH *share) { return curl_easy_setopt(easy, CURLOPT_SHARE, share); }

CURLcode shim_easy_set_write(CURL *easy, shim_bytes_callback callback, void *context) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, callback);
  return code != CURLE_OK ? code : curl_easy_setopt(easy, CURLOPT_WRITEDATA, context);
}
CURLcode shim_easy_set_header(CURL *easy, shim_bytes_callback callback, void *context) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, callback);
  return code != CURLE_OK ? code : curl_easy_setopt(easy, CURLOPT_HEADERDATA, context);
}

static curl_socket_t open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address) {
  (void)context;
  (void)purpose;
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}
CURLcode shim_easy_set_close_on_exec(CURL *easy) {
  return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
}

CURLcode shim_easy_get_long(CURL *easy, CURLINFO info, long *value) { return curl_easy_getinfo(easy, info, value); }
CURLcode shim_easy_get_offset(CURL *easy, CURLINFO info, curl_off_t *value) {
  return curl_easy_getinfo(easy, info, value);
}
CURLcode shim_easy_get_string(CURL *easy, CURLINFO info, const char **value) {
  return curl_easy_getinfo(easy, info, value);
}
CURLcode shim_easy_get_list(CURL *easy, CURLINFO info, struct curl_slist **value) {
  return curl_easy_getinfo(easy, info, value);
}

const struct curl_slist *shim_easy_peer_certificate(CURL *easy) {
  struct curl_certinfo *chain = NULL;
  if (curl_easy_getinfo(easy, CURLINFO_CERTINFO, &chain) != CURLE_OK || chain == NULL || chain->num_of_certs < 1)
    return NULL;
  return chain->certinfo[0];
}

CURLMcode shim_multi_set_socket(CURLM *multi, shim_socket_callback callback, void *context) {
  CURLMcode code = curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, callback);
  return code != CURLM_OK ? code : curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
}
CURLMcode shim_multi_set_timer(CURLM *multi, shim_timer_callback callback, void *context) {
  CURLMcode code = curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, callback);
  return code != CURLM_OK ? code : curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
}
CURLMcode shim_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}
CURLSHcode shim_share_data(CURLSH *share, curl_lock_data data) {
  return curl_share_setopt(share, CURLSHOPT_SHARE, data);
}

int shim_multi_next_done(CURLM *multi, CURL **easy, CURLcode *result) {
  int left;
  CURLMsg *message;
  while ((message = curl_multi_info_read(multi, &left)) != NULL) {
    if (message->msg == CURLMSG_DONE) {
      *easy = message->easy_handle;
      *result = message->data.result;
      return 1;
    }
  }
  return 0;
}

#if defined(__has_feature) && __has_feature(address_sanitizer)
#include <sanitizer/lsan_interface.h>
static void leaks_are_expected(int expected) { expected ? __lsan_disable() : __lsan_enable(); }
#else
static void leaks_are_expected(int expected) { (void)expected; }
#endif

CURLUcode shim_url_get_ascii_host(CURLU *url, char **host) {
  // libidn2 reads the host in the character set of the thread's locale.
  locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
  locale_t before = utf8 ? uselocale(utf8) : (locale_t)0;
  // libcurl 7.88 loses its copy of a host that IDNA forbids: a few bytes in a run, which LeakSanitizer need not report.
  leaks_are_expected(1);
  CURLUcode code = curl_url_get(url, CURLUPART_HOST, host, CURLU_PUNYCODE);
  leaks_are_expected(0);
  if (utf8) {
    uselocale(before);
    freelocale(utf8);
  }
  return code;
}

long shim_auth_basic(void) { return (long)CURLAUTH_BASIC; }
long shim_auth_basic_or_digest(void) { return (long)(CURLAUTH_BASIC | CURLAUTH_DIGEST); }

int shim_tls_without_atexit(void) { return OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL); }

#include "TLSEnd.h"

#include <openssl/crypto.h>
#include <openssl/ssl.h>
#include <stdlib.h>

struct shim_tls_end {
  int references;
  int is_notified;
};

static CRYPTO_ONCE once = CRYPTO_ONCE_STATIC_INIT;
static int index_of_end = -1;

void shim_tls_end_release(shim_tls_end *end) {
  if (end != NULL && --end->references == 0) free(end);
}

// Attaches an end to each new SSL object. Without memory there is none, and the end counts as not authenticated.
static void made(void *ssl, void *value, CRYPTO_EX_DATA *data, int index, long number, void *pointer) {
  (void)ssl, (void)value, (void)number, (void)pointer;
  shim_tls_end *end = calloc(1, sizeof *end);
  if (end == NULL) return;
  end->references = 1;
  if (!CRYPTO_set_ex_data(data, index, end)) free(end);
}

static void freed(void *ssl, void *value, CRYPTO_EX_DATA *data, int index, long number, void *pointer) {
  (void)ssl, (void)data, (void)index, (void)number, (void)pointer;
  shim_tls_end_release(value);
}

static void reserve_index(void) {
  index_of_end = CRYPTO_get_ex_new_index(CRYPTO_EX_INDEX_SSL, 0, NULL, made, NULL, freed);
}

static void informed(const SSL *ssl, int where, int value) {
  if ((where & SSL_CB_READ_ALERT) != SSL_CB_READ_ALERT || (value & 0xff) != SSL_AD_CLOSE_NOTIFY) return;
  shim_tls_end *end = SSL_get_ex_data(ssl, index_of_end);
  if (end != NULL) end->is_notified = 1;
}

static CURLcode configure(CURL *easy, void *context, void *user) {
  (void)easy, (void)user;
  SSL_CTX_set_info_callback(context, informed);
  return CURLE_OK;
}

CURLcode shim_easy_note_tls_end(CURL *easy) {
  if (!CRYPTO_THREAD_run_once(&once, reserve_index) || index_of_end < 0) return CURLE_OUT_OF_MEMORY;
  return curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, configure);
}

shim_tls_end *shim_easy_tls_end(CURL *easy) {
  struct curl_tlssessioninfo *session = NULL;
  if (index_of_end < 0 || curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK || session == NULL ||
      session->backend != CURLSSLBACKEND_OPENSSL || session->internals == NULL)
    return NULL;
  shim_tls_end *end = SSL_get_ex_data(session->internals, index_of_end);
  if (end != NULL) end->references++;
  return end;
}

int shim_tls_end_is_notified(const shim_tls_end *end) { return end->is_notified; }

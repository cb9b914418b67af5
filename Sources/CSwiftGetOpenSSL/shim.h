#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>

#pragma once
#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/provider.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// Macros of OpenSSL as functions, so that Swift sees them.
static inline int cssl_min_version(SSL_CTX *context, int version) {
  return (int)SSL_CTX_set_min_proto_version(context, version);
}
static inline void cssl_mode(SSL_CTX *context, long mode) { SSL_CTX_set_mode(context, mode); }
static inline int cssl_server_name(SSL *ssl, const char *name) { return (int)SSL_set_tlsext_host_name(ssl, name); }
static inline long cssl_bio_bytes(BIO *bio, char **bytes) { return BIO_get_mem_data(bio, bytes); }
static inline void cssl_bio_eof(BIO *bio, int value) { BIO_set_mem_eof_return(bio, value); }
static inline void cssl_free(void *memory) { OPENSSL_free(memory); }
// Never ask on the terminal for the password of a key.
static inline int cssl_no_prompt(char *buffer, int size, int writing, void *user) {
  (void)buffer; (void)size; (void)writing; (void)user;
  return -1;
}

// Digests with the context on the stack: OpenSSL's EVP calls look the algorithm up and allocate.
// `prefix` and `bytes` are digested one after the other.
static inline void cssl_sha1(
    const void *prefix, size_t prefix_count, const void *bytes, size_t count, unsigned char *out) {
  SHA_CTX context;
  SHA1_Init(&context);
  SHA1_Update(&context, prefix, prefix_count);
  SHA1_Update(&context, bytes, count);
  SHA1_Final(out, &context);
}
static inline void cssl_sha256(const void *bytes, size_t count, unsigned char *out) {
  SHA256_CTX context;
  SHA256_Init(&context);
  SHA256_Update(&context, bytes, count);
  SHA256_Final(out, &context);
}

// Variadic in OpenSSL 3.
static inline EVP_PKEY *cssl_make_p256(void) { return EVP_EC_gen("P-256"); }
static inline EVP_PKEY *cssl_make_rsa(size_t bits) { return EVP_RSA_gen(bits); }

// The flags are a macro of macros, which Swift does not see.
static inline int cssl_print_name(BIO *out, const X509_NAME *name) {
  return X509_NAME_print_ex(out, name, 0, XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB);
}
static inline int cssl_add_chain(SSL_CTX *context, X509 *certificate) {
  return (int)SSL_CTX_add1_chain_cert(context, certificate);
}
// Stacks are macros of macros.
static inline STACK_OF(X509) *cssl_new_stack(void) { return sk_X509_new_null(); }
static inline int cssl_push(STACK_OF(X509) *stack, X509 *certificate) { return sk_X509_push(stack, certificate); }
static inline X509 *cssl_pop(STACK_OF(X509) *stack) { return stack ? sk_X509_pop(stack) : NULL; }
static inline void cssl_free_stack(STACK_OF(X509) *stack) { sk_X509_free(stack); }
// A client's sessions go to its callback, and into no cache of OpenSSL's.
static inline void cssl_tell_sessions(SSL_CTX *context) {
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
}

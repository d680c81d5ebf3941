#pragma once
#include <curl/curl.h>

// curl_easy_setopt and curl_easy_getinfo are variadic: one function for each kind of value.
static inline CURLcode ccurl_set_text(CURL *curl, CURLoption option, const char *value) {
  return curl_easy_setopt(curl, option, value);
}
static inline CURLcode ccurl_set_long(CURL *curl, CURLoption option, long value) {
  return curl_easy_setopt(curl, option, value);
}
static inline CURLcode ccurl_set_pointer(CURL *curl, CURLoption option, void *value) {
  return curl_easy_setopt(curl, option, value);
}
static inline CURLcode ccurl_set_list(CURL *curl, CURLoption option, struct curl_slist *value) {
  return curl_easy_setopt(curl, option, value);
}
typedef size_t (*ccurl_write)(char *bytes, size_t one, size_t count, void *user);
static inline CURLcode ccurl_set_write(CURL *curl, CURLoption option, ccurl_write function) {
  return curl_easy_setopt(curl, option, function);
}
// A proxy's answer to CONNECT; 0 without one.
static inline long ccurl_connect_status(CURL *curl) {
  long status = 0;
  curl_easy_getinfo(curl, CURLINFO_HTTP_CONNECTCODE, &status);
  return status;
}
static inline long ccurl_status(CURL *curl) {
  long status = 0;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  return status;
}

#pragma once
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <uv.h>

// Casts to libuv's base types: handles arrive in Swift as their own type.
static inline void cuv_close(void *handle, uv_close_cb done) { uv_close((uv_handle_t *)handle, done); }
static inline int cuv_is_closing(const void *handle) { return uv_is_closing((const uv_handle_t *)handle); }
static inline void cuv_unref(void *handle) { uv_unref((uv_handle_t *)handle); }
static inline void cuv_set_data(void *handle, void *data) { ((uv_handle_t *)handle)->data = data; }
static inline void *cuv_data(const void *handle) { return ((const uv_handle_t *)handle)->data; }
static inline int cuv_read_start(void *stream, uv_alloc_cb alloc, uv_read_cb read) {
  return uv_read_start((uv_stream_t *)stream, alloc, read);
}
static inline int cuv_read_stop(void *stream) { return uv_read_stop((uv_stream_t *)stream); }
static inline int cuv_try_write(void *stream, const void *bytes, size_t count) {
  uv_buf_t buffer = uv_buf_init((char *)bytes, (unsigned int)count);
  return uv_try_write((uv_stream_t *)stream, &buffer, 1);
}
static inline int cuv_write(uv_write_t *request, void *stream, const void *bytes, size_t count, uv_write_cb done) {
  uv_buf_t buffer = uv_buf_init((char *)bytes, (unsigned int)count);
  return uv_write(request, (uv_stream_t *)stream, &buffer, 1, done);
}
static inline int cuv_listen(void *stream, int backlog, uv_connection_cb done) {
  return uv_listen((uv_stream_t *)stream, backlog, done);
}
static inline int cuv_accept(void *server, void *client) {
  return uv_accept((uv_stream_t *)server, (uv_stream_t *)client);
}
static inline void *cuv_request_data(const void *request) { return ((const uv_req_t *)request)->data; }
static inline void cuv_set_request_data(void *request, void *data) { ((uv_req_t *)request)->data = data; }
static inline void cuv_ignore_signal(int number) { signal(number, SIG_IGN); }
static inline int cuv_fileno(const void *handle) {
  uv_os_fd_t fd = -1;
  return uv_fileno((const uv_handle_t *)handle, &fd) == 0 ? fd : -1;
}
// It stands behind _GNU_SOURCE, which would make this module's C types differ from Glibc's.
extern int pthread_setname_np(pthread_t thread, const char *name);
static inline void cuv_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }
// A dead peer shows within this time although nothing is read (RFC 5482).
static inline int cuv_user_timeout(const void *handle, unsigned int milliseconds) {
  int fd = cuv_fileno(handle);
  return fd < 0 ? -1 : setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &milliseconds, sizeof milliseconds);
}

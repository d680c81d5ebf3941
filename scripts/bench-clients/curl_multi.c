/* libcurl's multi interface over epoll: one multi handle, easy handles used again. */
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>

static int epoll_fd;
static double timer_at = -1; /* seconds of the monotonic clock; below 0: not set */

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec / 1e9;
}

static const char *setting(const char *name) {
  const char *value = getenv(name);
  if (!value) { fprintf(stderr, "%s is not set\n", name); exit(2); }
  return value;
}

static size_t discard(char *bytes, size_t size, size_t count, void *user) {
  (void)bytes; (void)user;
  return size * count;
}

static int watch_socket(CURL *easy, curl_socket_t fd, int what, void *user, void *known) {
  (void)easy;
  if (what == CURL_POLL_REMOVE) {
    epoll_ctl(epoll_fd, EPOLL_CTL_DEL, fd, NULL);
    return 0;
  }
  struct epoll_event event = {.data.fd = fd};
  if (what & CURL_POLL_IN) event.events |= EPOLLIN;
  if (what & CURL_POLL_OUT) event.events |= EPOLLOUT;
  epoll_ctl(epoll_fd, known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &event);
  curl_multi_assign(user, fd, &epoll_fd);
  return 0;
}

static int set_timer(CURLM *multi, long milliseconds, void *user) {
  (void)multi; (void)user;
  timer_at = milliseconds < 0 ? -1 : now() + milliseconds / 1e3;
  return 0;
}

static struct curl_slist *header(struct curl_slist *list, const char *name, const char *value) {
  char line[4096];
  snprintf(line, sizeof line, "%s: %s", name, value);
  return curl_slist_append(list, line);
}

static CURL *make_request(struct curl_slist *headers, const char *body, long length) {
  CURL *easy = curl_easy_init();
  curl_easy_setopt(easy, CURLOPT_URL, setting("URL"));
  curl_easy_setopt(easy, CURLOPT_CAINFO, setting("CA_FILE"));
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS);
  curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L);
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
  curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, length);
  curl_easy_setopt(easy, CURLOPT_POSTFIELDS, body);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, discard);
  return easy;
}

int main(void) {
  long connections = atol(setting("CONNECTIONS")), streams = atol(setting("STREAMS"));
  long requests = atol(setting("REQUESTS")), started = 0, done = 0, accepted = 0;
  static char body[8192];
  FILE *file = fopen(setting("BODY_FILE"), "r");
  if (!file) { perror("BODY_FILE"); return 2; }
  long length = (long)fread(body, 1, sizeof body, file);
  fclose(file);

  curl_global_init(CURL_GLOBAL_ALL);
  epoll_fd = epoll_create1(0);
  struct curl_slist *headers = header(NULL, "authorization", setting("AUTHORIZATION"));
  headers = header(headers, "apns-topic", setting("TOPIC"));
  headers = header(headers, "apns-push-type", "alert");
  headers = header(headers, "apns-priority", "10");
  headers = curl_slist_append(headers, "content-type:");
  headers = curl_slist_append(headers, "accept:");

  CURLM *multi = curl_multi_init();
  curl_multi_setopt(multi, CURLMOPT_PIPELINING, CURLPIPE_MULTIPLEX);
  curl_multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS, connections);
  curl_multi_setopt(multi, CURLMOPT_MAX_CONCURRENT_STREAMS, streams);
  curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, watch_socket);
  curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, multi);
  curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, set_timer);

  double begin = now();
  for (; started < requests && started < connections * streams; started++)
    curl_multi_add_handle(multi, make_request(headers, body, length));
  int running;
  struct epoll_event events[64];
  while (done < requests) {
    double left = timer_at < 0 ? 1 : timer_at - now();
    int count = epoll_wait(epoll_fd, events, 64, left > 0 ? (int)(left * 1e3) + 1 : 0);
    for (int i = 0; i < count; i++) {
      int mask = (events[i].events & EPOLLIN ? CURL_CSELECT_IN : 0) |
                 (events[i].events & EPOLLOUT ? CURL_CSELECT_OUT : 0) |
                 (events[i].events & (EPOLLERR | EPOLLHUP) ? CURL_CSELECT_ERR : 0);
      curl_multi_socket_action(multi, events[i].data.fd, mask, &running);
    }
    if (timer_at >= 0 && timer_at <= now()) {
      timer_at = -1;
      curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running);
    }
    CURLMsg *message;
    for (int queued; (message = curl_multi_info_read(multi, &queued));) {
      CURL *easy = message->easy_handle;
      long status = 0;
      if (message->data.result == CURLE_OK) curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
      accepted += status == 200;
      done++;
      curl_multi_remove_handle(multi, easy);
      if (started < requests) {
        started++;
        curl_multi_add_handle(multi, easy);
      }
    }
  }
  printf("{\"accepted\": %ld, \"seconds\": %.3f}\n", accepted, now() - begin);
  return 0;
}

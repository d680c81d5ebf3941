#pragma once
#include <microhttpd.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

/* Without a descriptor for its first connection libmicrohttpd tries again at once, for as long as there
   is none, and tells its log each time; nowhere else can it be made to wait. */
static inline void cmhd_told(void *user, const char *format, va_list arguments) {
  (void)user;
  (void)arguments;
  if (strstr(format, "at FIRST connection")) {
    struct timespec pause = {0, 100000000};
    nanosleep(&pause, NULL);
  }
}

/* MHD_start_daemon is variadic. Serves the listening socket `listener`, which the daemon closes when
   it stops, on a thread of its own; every connection may be suspended and resumed. */
static inline struct MHD_Daemon *cmhd_start(int listener, MHD_AccessHandlerCallback handle,
                                            MHD_RequestCompletedCallback completed, void *user,
                                            unsigned connections, unsigned seconds) {
  return MHD_start_daemon(MHD_USE_AUTO_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL,
                          handle, user, MHD_OPTION_LISTEN_SOCKET, listener,
                          MHD_OPTION_NOTIFY_COMPLETED, completed, user,
                          MHD_OPTION_CONNECTION_LIMIT, connections,
                          MHD_OPTION_CONNECTION_TIMEOUT, seconds, MHD_OPTION_END);
}

/* The same with an end for each connection, for a server that strangers may reach: a bound on the
   connections of one address, and news of every connection. */
static inline struct MHD_Daemon *cmhd_start_watched(
    int listener, MHD_AccessHandlerCallback handle, MHD_RequestCompletedCallback completed,
    MHD_NotifyConnectionCallback connection, void *user, unsigned connections, unsigned peer,
    unsigned seconds) {
  return MHD_start_daemon(MHD_USE_AUTO_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME |
                              MHD_USE_ERROR_LOG,
                          0, NULL, NULL, handle, user,
                          MHD_OPTION_EXTERNAL_LOGGER, cmhd_told, NULL,
                          MHD_OPTION_LISTEN_SOCKET, listener,
                          MHD_OPTION_NOTIFY_COMPLETED, completed, user,
                          MHD_OPTION_NOTIFY_CONNECTION, connection, user,
                          MHD_OPTION_CONNECTION_LIMIT, connections,
                          MHD_OPTION_PER_IP_CONNECTION_LIMIT, peer,
                          MHD_OPTION_CONNECTION_TIMEOUT, seconds, MHD_OPTION_END);
}

/* MHD_get_connection_info is variadic. */
static inline int cmhd_socket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}

/* NULL when it is not known. */
static inline const struct sockaddr *cmhd_peer(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  return info ? info->client_addr : NULL;
}

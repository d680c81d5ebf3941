#pragma once
#include <microhttpd.h>

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

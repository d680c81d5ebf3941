#pragma once
#include <hiredis/hiredis.h>

// A function-like macro in hiredis/read.h.
static inline const char *chiredis_reader_error(redisReader *reader) { return reader->errstr; }

#pragma once
#include <stddef.h>

/// A file that stands in the program; its bytes live as long as that.
typedef struct {
  const char *_Nonnull name;
  const unsigned char *_Nonnull bytes;
  size_t count;
} admin_page_file;

/// The files of Page/, in the order of their names; NULL after the last.
const admin_page_file *_Nullable admin_page_file_at(size_t index);

/// docs/openapi.json.
const admin_page_file *_Nonnull admin_page_description(void);

/* Needs a host that is not there yet (its plugin.json says so), and does something in a
 * constructor: the host must refuse it before any code of it runs. */
#include <stdio.h>
#include <stdlib.h>

#include "zoo.h"

__attribute__((constructor)) static void leave_a_trace(void) {
  const char* const path = getenv("ZOO_WITNESS");
  FILE* const file = path == NULL ? NULL : fopen(path, "w");
  if (file != NULL) fclose(file);
}

static tenon_code register_routes(tenon_error* error) {
  (void)error;
  return TENON_OK;
}

ZOO_PLUGIN(register_routes);

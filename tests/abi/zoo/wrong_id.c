/* Its entry says another id than its facts and its plugin.json. */
#undef TENON_PLUGIN_ID
#define TENON_PLUGIN_ID "other-plugin"

#include "zoo.h"

static tenon_code register_routes(tenon_error* error) {
  (void)error;
  return TENON_OK;
}

ZOO_PLUGIN(register_routes);

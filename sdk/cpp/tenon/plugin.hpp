#pragma once

#include <tenon/cell.hpp>
#include <tenon/database.hpp>
#include <tenon/deferred.hpp>
#include <tenon/detail/instance.hpp>
#include <tenon/entry.h>
#include <tenon/error.hpp>
#include <tenon/events.hpp>
#include <tenon/host.hpp>
#include <tenon/http.hpp>
#include <tenon/http_client.hpp>
#include <tenon/id.hpp>
#include <tenon/identity.hpp>
#include <tenon/json.hpp>
#include <tenon/lifecycle.hpp>
#include <tenon/log.hpp>
#include <tenon/records.hpp>
#include <tenon/request.hpp>
#include <tenon/response.hpp>
#include <tenon/row.hpp>
#include <tenon/search.hpp>
#include <tenon/services.hpp>
#include <tenon/settings.hpp>
#include <tenon/stream.hpp>
#include <tenon/thread.hpp>
#include <tenon/time.hpp>

/// Makes a class the plugin of this library. Use it once, at namespace scope of one source file.
/// tenon_add_plugin() of the SDK defines the three names below from plugin.json.
#define TENON_PLUGIN(Class)                                                                    \
  extern "C" {                                                                                 \
  TENON_EXPORT extern const tenon_plugin_entry tenon_plugin_entry_v1;                          \
  constinit const tenon_plugin_entry tenon_plugin_entry_v1 = ::tenon::detail::entry_of<Class>( \
      TENON_LITERAL(TENON_PLUGIN_ID), TENON_LITERAL(TENON_PLUGIN_VERSION),                     \
      TENON_PLUGIN_NEEDS_HOST_MINOR);                                                          \
  }

// Lets exceptions out in spite of every promise, and has a thread-local with a destructor: what C
// cannot do.
#include <atomic>
#include <cstdlib>
#include <stdexcept>

#include <tenon/http.h>

namespace {

struct Late {
  ~Late() { ++gone; }
  int used = 0;
  static inline std::atomic<int> gone = 0;  // threads end at once
};
thread_local Late late;

// Says that it does not throw by the type that it is called through.
template <typename Function>
Function promise(void* function) {
  return reinterpret_cast<Function>(function);
}

tenon_code handler(void*, const tenon_http_request*) {
  ++late.used;
  throw std::runtime_error("out of the plugin");
}
tenon_code touches(void* ctx, const tenon_http_request* request) {
  ++late.used;
  const auto* host = static_cast<const tenon_host*>(ctx);
  const auto* http = static_cast<const tenon_http*>(
      host->get_interface(host, TENON_LITERAL(TENON_HTTP_ID), TENON_NEED(tenon_http, respond)));
  tenon_http_response response{};
  response.size = sizeof response;
  response.status = 204;
  return http->respond(host, request->handle, &response);
}
tenon_code start(tenon_plugin*, tenon_error*) {
  return TENON_OK;
}
void destroy(tenon_plugin* plugin) {
  std::free(plugin);
}

tenon_code create(const tenon_host* host, tenon_plugin** plugin, tenon_error* error) {
  const auto* http = static_cast<const tenon_http*>(
      host->get_interface(host, TENON_LITERAL(TENON_HTTP_ID), TENON_NEED(tenon_http, add_route)));
  tenon_http_route route{};
  route.size = sizeof route;
  route.method = TENON_HTTP_GET;
  route.pattern = TENON_LITERAL("/throw");
  route.access = TENON_HTTP_PUBLIC;
  route.handler.fn = promise<decltype(route.handler.fn)>(reinterpret_cast<void*>(&handler));
  if (http->add_route(host, &route, error) != TENON_OK) return TENON_E_INTERNAL;
  route.pattern = TENON_LITERAL("/touch");
  route.handler.fn = promise<decltype(route.handler.fn)>(reinterpret_cast<void*>(&touches));
  route.handler.ctx = const_cast<tenon_host*>(host);
  if (http->add_route(host, &route, error) != TENON_OK) return TENON_E_INTERNAL;

  auto* made = static_cast<tenon_plugin*>(std::calloc(1, sizeof(tenon_plugin)));
  made->size = sizeof *made;
  made->start = promise<decltype(made->start)>(reinterpret_cast<void*>(&start));
  made->destroy = promise<decltype(made->destroy)>(reinterpret_cast<void*>(&destroy));
  *plugin = made;
  return TENON_OK;
}

}  // namespace

extern "C" {
extern const char facts[];
__attribute__((section(TENON_FACTS_SECTION), used)) const char facts[] =
    R"({"id":"throws","version":"1.0.0","abi":{"major":0,"minor":13},"needs_host_minor":13})";
TENON_EXPORT extern const tenon_plugin_entry tenon_plugin_entry_v1;
const tenon_plugin_entry tenon_plugin_entry_v1 = {
    TENON_ENTRY_MAGIC,
    sizeof(tenon_plugin_entry),
    TENON_ABI_MAJOR,
    TENON_ABI_MINOR,
    TENON_ABI_MINOR,
    0,
    0,
    {"throws", 6},
    {"1.0.0", 5},
    promise<decltype(tenon_plugin_entry::create)>(reinterpret_cast<void*>(&create)),
};
}

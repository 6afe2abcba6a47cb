// No fault: tests of the registry write other ids and versions into this library. They have five
// letters each, as these have.
#include <string>

#include <tenon/plugin.hpp>

namespace {

// Read at run time: the compiler must not use the value that it knows.
std::string version() {
  static const volatile char text[] = TENON_PLUGIN_VERSION;
  std::string copy;
  for (const volatile char* at = text; *at != '\0'; ++at)
    copy += *at;
  return copy;
}

class Blank : public tenon::Plugin {
 public:
  explicit Blank(tenon::Host& host) : Plugin(host) {
    host.http().get("/version", tenon::access::everyone,
                    [](const tenon::Request&) { return tenon::Response::text(version()); });
  }
};

}  // namespace

TENON_PLUGIN(Blank)

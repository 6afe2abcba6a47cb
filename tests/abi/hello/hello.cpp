#include <tenon/plugin.hpp>

class Hello : public tenon::Plugin {
 public:
  explicit Hello(tenon::Host& host) : Plugin(host) {
    host.http().get("/hello/{name}", tenon::access::signed_in, [](const tenon::Request& r) {
      return tenon::Response::json({{"hello", r.param("name")}});
    });
  }
};
TENON_PLUGIN(Hello)

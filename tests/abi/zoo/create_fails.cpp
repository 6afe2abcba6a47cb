// Its constructor throws after it registered a route.
#include <tenon/plugin.hpp>

namespace {

class CreateFails : public tenon::Plugin {
 public:
  explicit CreateFails(tenon::Host& host) : Plugin(host) {
    host.http().get("/ok", tenon::access::everyone,
                    [](const tenon::Request&) { return tenon::Response::text("ok"); });
    throw tenon::Error(500, "create-fails.no_license", "The license file is missing.");
  }
};

}  // namespace

TENON_PLUGIN(CreateFails)

// No fault: calls a service of `offers_services` as a plugin should, for the tests of both.
#include <string>

#include <tenon/plugin.hpp>

namespace {

using tenon::Request;
using tenon::Response;

class AsksOthers : public tenon::Plugin {
 public:
  explicit AsksOthers(tenon::Host& host) : Plugin(host) {
    host.http().get("/ask/{method}", tenon::access::everybody, [this](const Request& request) {
      const tenon::Json asked{{"seats", request.query<int>("seats", 0)}};
      return Response::json(
          this->host().services().call("offers-services.rooms", 2, request.param("method"), asked));
    });
  }
};

}  // namespace

TENON_PLUGIN(AsksOthers)

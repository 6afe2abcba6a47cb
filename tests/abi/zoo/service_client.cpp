// No fault: calls services of `offers_services` and `crashes_at_stage` as a plugin should, for the
// tests of all three.
#include <string>

#include <tenon/plugin.hpp>

namespace {

using tenon::Request;
using tenon::Response;

class ServiceClient : public tenon::Plugin {
 public:
  explicit ServiceClient(tenon::Host& host) : Plugin(host) {
    host.http().get("/ask/{method}", tenon::access::everyone, [this](const Request& request) {
      const tenon::Json asked{{"seats", request.query<int>("seats", 0)}};
      return Response::json(
          this->host().services().call("offers-services.rooms", 2, request.param("method"), asked));
    });
    host.http().get("/work", tenon::access::everyone, [this](const Request&) {
      return Response::json(
          this->host().services().call("crashes-at-stage.work", 1, "work", tenon::Json::object()));
    });
  }
};

}  // namespace

TENON_PLUGIN(ServiceClient)

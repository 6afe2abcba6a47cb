// Offers a service as a plugin should, and methods that fail: for the tests of services.
#include <stdexcept>
#include <string>

#include <tenon/plugin.hpp>

namespace {

using tenon::Json;
using tenon::ServiceRequest;

class OffersServices : public tenon::Plugin {
 public:
  explicit OffersServices(tenon::Host& host) : Plugin(host) {
    host.services().offer("rooms", 2, [this](const ServiceRequest& request) -> Json {
      if (request.method() == "find") return find(request);
      if (request.method() == "log") {
        log().info("asked for rooms");
        return {{"logged", true}};
      }
      if (request.method() == "throw") throw std::runtime_error("the secret inside");
      if (request.method() == "number") throw 42;
      throw request.unknown_method();
    });
  }

 private:
  Json find(const ServiceRequest& request) {
    const int seats = tenon::required_member<int>(request.json(), "seats");
    if (seats > 100) throw tenon::Error(409, "offers-services.full", "There is no such room.");
    // The provider's own database, on the caller's thread.
    const int one = database().first<int>("SELECT 1").value();
    return {{"room", "r" + std::to_string(seats)}, {"for", request.caller()}, {"one", one}};
  }
};

}  // namespace

TENON_PLUGIN(OffersServices)

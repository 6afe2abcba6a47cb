// Exceptions of every kind leave handlers; none may leave the plugin.
#include <stdexcept>

#include <tenon/plugin.hpp>

namespace {

class ThrowsInHandler : public tenon::Plugin {
 public:
  explicit ThrowsInHandler(tenon::Host& host) : Plugin(host) {
    using tenon::Request, tenon::Response, tenon::access::everyone;
    host.http().get("/ok", everyone, [](const Request&) { return Response::text("ok"); });
    host.http().get("/standard", everyone, [](const Request&) -> Response {
      throw std::runtime_error("the secret inside");
    });
    host.http().get("/number", everyone, [](const Request&) -> Response { throw 42; });
    host.http().get("/expected", everyone, [](const Request&) -> Response {
      throw tenon::Error(418, "zoo.teapot", "This is a teapot.");
    });
    host.http().get("/inline", everyone, {.is_inline = true},
                    [](const Request&) -> Response { throw std::bad_alloc(); });
    host.http().get("/stream", everyone, [](const Request&) {
      return Response::stream("text/plain", [](tenon::Stream& out) -> bool {
        out.write("half of it");
        throw std::runtime_error("the other half");
      });
    });
  }
};

}  // namespace

TENON_PLUGIN(ThrowsInHandler)

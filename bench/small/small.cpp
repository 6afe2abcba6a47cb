// A plugin as small as real ones are: a published table, and a route that counts its rows. Part
// `many` starts hundreds of copies of it, each with another id of the same length.

#include <cstdint>

#include <tenon/plugin.hpp>

namespace {

class Small final : public tenon::Plugin {
 public:
  explicit Small(tenon::Host& host) : Plugin(host) {
    host.http().get("/count", tenon::access::everyone, [this](const tenon::Request&) {
      const auto count =
          database().query("SELECT count(*) FROM items").begin()->get<std::int64_t>(0);
      return tenon::Response::json({{"count", count}});
    });
  }
};

}  // namespace

TENON_PLUGIN(Small)

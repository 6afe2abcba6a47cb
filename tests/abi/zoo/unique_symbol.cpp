// An inline variable that others see: g++ makes a GNU_UNIQUE symbol of it, which keeps the library
// mapped for ever, and gives all later generations the variable of the first one.
#include <atomic>

#include <tenon/plugin.hpp>

struct __attribute__((visibility("default"))) SharedCounter {
  static inline std::atomic<int> times{0};
};

namespace {

class UniqueSymbol : public tenon::Plugin {
 public:
  explicit UniqueSymbol(tenon::Host& host) : Plugin(host) {
    host.http().get("/times", tenon::access::everyone, [](const tenon::Request&) {
      return tenon::Response::text(std::to_string(++SharedCounter::times));
    });
  }
};

}  // namespace

TENON_PLUGIN(UniqueSymbol)

// Linked without the list of symbols that a plugin exports: it exports more than its entry. One of
// the names is that of a function of the C library.
#include <atomic>
#include <string>

#include <tenon/plugin.hpp>

extern "C" __attribute__((visibility("default"))) int zoo_count();
extern "C" __attribute__((visibility("default"))) int rand() noexcept;

namespace {
std::atomic<int> times{0};
}

int zoo_count() {
  return ++times;
}
int rand() noexcept {
  return -7;
}

namespace {

class ExportsMore : public tenon::Plugin {
 public:
  explicit ExportsMore(tenon::Host& host) : Plugin(host) {
    host.http().get("/times", tenon::access::everyone, [](const tenon::Request&) {
      return tenon::Response::text(std::to_string(zoo_count()));
    });
  }
};

}  // namespace

TENON_PLUGIN(ExportsMore)

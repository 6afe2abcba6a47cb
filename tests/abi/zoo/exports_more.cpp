// Linked without the list of what a plugin exports: names of it stand beside the entry, one of them
// that of a function of the C library.
#include <atomic>
#include <string>

#include <tenon/plugin.hpp>

extern "C" __attribute__((visibility("default"))) int zoo_answer();
extern "C" __attribute__((visibility("default"))) int rand() noexcept;

namespace {
std::atomic<int> times{0};
}

int zoo_answer() {
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
      return tenon::Response::text(std::to_string(zoo_answer()));
    });
  }
};

}  // namespace

TENON_PLUGIN(ExportsMore)

// A thread_local with a destructor: every thread that touched it keeps the library mapped until it
// ends.
#include <string>

#include <tenon/plugin.hpp>

namespace {

std::string& kept() {
  thread_local std::string text;
  return text;
}

class TlsDestructor : public tenon::Plugin {
 public:
  explicit TlsDestructor(tenon::Host& host) : Plugin(host) {
    host.http().get("/touch", tenon::access::everyone, [](const tenon::Request&) {
      kept() += "a text that is too long to be kept inside the string itself; ";
      return tenon::Response::text("touched");
    });
  }
};

}  // namespace

TENON_PLUGIN(TlsDestructor)

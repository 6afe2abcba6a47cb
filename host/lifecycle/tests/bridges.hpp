#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <tenon/services.h>

#include "bridge/bridge.hpp"
#include "bridge/services/services_directory.hpp"
#include "packages/tests/plugin_folder.hpp"

namespace tenon::data {
class Database;
}

namespace tenon::plugins::test {

/// Bridges of plugins whose code is the test's own, without libraries and databases of theirs.
class Bridges {
 public:
  Bridges();
  ~Bridges();
  Bridges(const Bridges&) = delete;
  Bridges& operator=(const Bridges&) = delete;

  /// One that is in create, on this thread.
  std::shared_ptr<Bridge> make(const Manifest& manifest, std::uint64_t generation = 1);
  ServicesDirectory& directory() noexcept { return directory_; }

 private:
  TemporaryFolder folder_;
  std::unique_ptr<data::Database> database_;
  std::unique_ptr<settings::Store> settings_;
  ServicesDirectory directory_;
};

/// The result of a call.
struct Called {
  tenon_code code = TENON_OK;
  std::uint32_t status = 0;
  std::string name;     ///< of the error
  std::string message;  ///< of the error
  std::string response;
};

/// A call as a plugin makes it.
struct ServiceCall {
  std::string_view service;
  std::string_view method = "say";
  std::string_view request = {};
  std::uint32_t revision = 1;
  std::uint32_t deadline_ms = 0;
};
Called call(Bridge& caller, const ServiceCall& call);

/// Does what a service offers: gets the call and the host of its plugin.
using Serve = std::function<tenon_code(const tenon_host* host,
                                       const tenon_services_request& request, tenon_error* error)>;
/// Offers a service as create would; what it is refused with.
tenon_code offer(Bridge& provider, std::string_view name, std::uint32_t revision, Serve serve);
/// Responds to a call, as the called plugin does.
tenon_code respond(const tenon_host* host, const tenon_services_request& request,
                   std::string_view bytes);

}  // namespace tenon::plugins::test

#pragma once

#include <memory>
#include <string>

#include "app/supervisor/handover.hpp"
#include "config/settings.hpp"

namespace tenon::app {

/// The whole host, wired: built in the order of the rooms, taken down in the opposite one.
class Server {
 public:
  /// Takes the data directory, opens the databases, and binds the port unless the supervisor did;
  /// throws base::Error with the reason of a failure.
  explicit Server(config::Settings settings, const Handover& handover = {});
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Activates the plugins and begins to serve. A plugin that fails keeps its reason; the others
  /// serve.
  void start();

  /// "http://HOST:PORT"
  std::string url() const;
  /// URL of the one-time set-up while no user exists, else empty. A new token each time; earlier
  /// ones are void.
  std::string setup_url();

  /// Finishes what is under way, up to Settings::shutdown_deadline, then stops everything.
  void stop();

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace tenon::app

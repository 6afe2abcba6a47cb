#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "events/bus.hpp"
#include "http/tests/raw_client.hpp"
#include "lifecycle/lifecycle.hpp"
#include "packages/tests/plugin_folder.hpp"

namespace tenon::data {
class Database;
}
namespace tenon::http {
class WorkerPool;
}
namespace tenon::identity {
class Identity;
}
namespace tenon::routing {
class Router;
}

namespace tenon::plugins::test {

using http::test::RawClient;
using Reply = http::test::Reply;

/// A whole host without console and shell: real databases, HTTP server, dispatcher, workers, and a
/// lifecycle over two folders of plugins.
class PluginHost {
 public:
  struct Options {
    std::chrono::milliseconds drain{2'000};
    std::chrono::milliseconds start_timeout{5'000};
    std::chrono::milliseconds stop_timeout{5'000};
    std::chrono::milliseconds health_timeout{5'000};
    std::chrono::milliseconds health_pause{0};
    std::function<void(const ActivePlugin&)> on_activate = {};
    Restart restart = {};
  };
  PluginHost();
  explicit PluginHost(Options options);
  ~PluginHost();
  PluginHost(const PluginHost&) = delete;
  PluginHost& operator=(const PluginHost&) = delete;

  /// Lays a plugin out. `more` are further members of its manifest.
  std::string put(const std::string& id, const std::string& library,
                  const std::string& version = "1.0.0", const std::string& more = {},
                  int directory = 0);
  /// A probe with its table, its permission and its journal.
  std::string put_probe(const std::string& id = "probe", const std::string& library = "probe",
                        const std::string& version = "1.0.0", const std::string& settings = {});

  /// Makes the lifecycle, starts plugins and HTTP server.
  void start();
  /// Ends the lifecycle and makes a new one over the same data, as a restart does; call start()
  /// again.
  void restart();

  Lifecycle& lifecycle();
  identity::Identity& identity();
  data::Database& database();
  routing::Router& router();
  http::WorkerPool& workers();
  /// Directories with plugins.
  std::vector<std::string> directories() const;
  const std::string& folder() const;
  std::uint16_t port() const;

  PluginStatus status(const std::string& id);
  /// State of a plugin, with the code of its reason after a colon.
  std::string state(const std::string& id);

  Reply get(const std::string& path, const std::string& cookie = {});
  Reply post(const std::string& path, const std::string& body = {},
             const std::string& type = "text/plain", const std::string& cookie = {});
  /// A Cookie field of a new user.
  std::string sign_in(const std::string& login, bool is_admin = false);

  /// Returns the lines that the probe wrote.
  std::vector<std::string> journal(const std::string& id = "probe");
  /// Returns the number of those lines that begin with this.
  std::size_t count(const std::string& beginning, const std::string& id = "probe");
  /// Waits up to 60 s for such a line.
  bool wait_for(const std::string& beginning, const std::string& id = "probe",
                std::size_t times = 1);
  /// Data of the events so far.
  std::vector<std::string> events();
  std::string log_text();
  std::string metrics_text();
  /// Libraries of this host that are mapped now.
  std::size_t mapped() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace tenon::plugins::test

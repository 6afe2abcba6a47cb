#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "routing/route.hpp"
#include "shell/plugin_ui.hpp"

namespace tenon::events {
class Bus;
struct Event;
}  // namespace tenon::events

namespace tenon::identity {
class Authenticator;
class Permissions;
struct Principal;
}  // namespace tenon::identity

namespace tenon::realtime {
class Realtime;
}
namespace tenon::routing {
class Router;
}

namespace tenon::shell {

struct ShellOptions {
  std::string directory;  ///< the built UI: index.html, assets/
  std::string docs;       ///< the built documentation site; may be missing
  std::string name;       ///< of the installation
  /// Pages show the reports of show_report(), and are those of `<directory>/development` if the SDK
  /// is installed.
  bool is_development = false;
};

/// Topic of `tenon dev`: a report {"title","message","code"}, null for none, or
/// {"sign_in":{"login","password"}}, or {"open":path}. Only published in development.
inline constexpr std::string_view development_topic = "core.development";

/// Serves the UI: the page with its boot data, the assets of the shell and of active plugins,
/// /api/core/shell and the event stream. Publishes its own sections in the router ("", "/ui",
/// "/docs", "/ui/plugins/<id>", "/api/core/shell", "/api/core/events", "/api/docs"). Thread-safe.
class Shell {
 public:
  /// If the UI was not built, every page responds 503 "shell.ui_missing" and the API works all the
  /// same. All references must outlive it. `own_routes` are further routes outside any prefix
  /// (health), which outlive it too.
  Shell(ShellOptions options, routing::Router& router, events::Bus& bus,
        const identity::Authenticator& authenticator, const identity::Permissions& permissions,
        realtime::Realtime& live, std::vector<routing::Route> own_routes);
  /// Unpublishes its sections. The HTTP server must have stopped.
  ~Shell();
  Shell(const Shell&) = delete;
  Shell& operator=(const Shell&) = delete;

  /// A plugin became active: its assets are served from now on, and those of the version that it
  /// takes the place of, or that `ui` names where this process had none. To be called before the
  /// event is published. Throws base::Error 500 "shell.ui_invalid".
  void activate(const PluginUi& ui);
  /// Stops serving the plugin until it is active again.
  void deactivate(std::string_view plugin);
  /// Forgets an inactive plugin that does not come back: its files are never served to open pages
  /// again.
  void remove(std::string_view plugin);
  /// Called when trust in plugins was revoked: former versions are no longer served, nor will those
  /// be that are active now.
  void forget_former_files();

  /// Shows a failure of `tenon dev` in open pages and in those that are opened, until the next
  /// call; an empty title shows none. No effect outside of development.
  void show_report(const std::string& title, const std::string& message, const std::string& code);
  /// Shows an error of a plugin at run time in open pages, until it is closed there: the members of
  /// `json`, an object, as DevelopmentEvent in shell-ui has them. No effect outside of development.
  void show_error(const std::string& json);
  /// Signs the open pages in as a sample user of `tenon dev`. No effect outside of development.
  void sign_pages_in(const std::string& login, const std::string& password);

  /// Shows another page in the open pages. No effect outside of development.
  void open_in_pages(const std::string& path);

  /// Ends the event streams, for a graceful stop.
  void close_channels();

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace tenon::shell

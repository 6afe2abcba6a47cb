#include "shell/shell.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "events/bus.hpp"
#include "http/limits.hpp"
#include "http/response/compression.hpp"
#include "http/static_files/static_files.hpp"
#include "identity/principal.hpp"
#include "identity/sessions/authenticator.hpp"
#include "identity/sessions/session_json.hpp"
#include "identity/users/permissions.hpp"
#include "jobs/jobs.hpp"
#include "lifecycle/lifecycle.hpp"
#include "observability/log.hpp"
#include "packages/manifest/public_path.hpp"
#include "realtime/event_stream_handler.hpp"
#include "routing/context.hpp"
#include "routing/router.hpp"
#include "shell/docs_page.hpp"
#include "shell/docs_site.hpp"
#include "shell/index_page.hpp"
#include "shell/plugin_files.hpp"

namespace tenon::shell {

namespace {

constexpr std::string_view plugin_prefix = "/ui/plugins/";

class Function final : public http::Handler {
 public:
  explicit Function(std::function<http::Response(const http::Exchange&)> respond)
      : respond_(std::move(respond)) {}
  void handle(const http::ExchangePtr& exchange) override {
    exchange->respond(respond_(*exchange));
  }

 private:
  std::function<http::Response(const http::Exchange&)> respond_;
};

routing::Route get_route(std::string pattern, routing::Access access, http::Handler& handler,
                         std::string summary) {
  routing::Route route;
  route.pattern = std::move(pattern);
  route.access = access;
  route.handler = &handler;
  route.summary = std::move(summary);
  return route;
}

// A folder that cannot be read makes open pages wait for nothing; the plugin itself is well.
std::shared_ptr<const http::StaticTree> load_former(const std::string& directory) {
  try {
    return load_tree(directory);
  } catch (const base::Error& error) {
    observability::log_warning("the pages of the version before are not served",
                               {{"folder", directory}, {"reason", error.message()}});
    return nullptr;
  }
}

// Returns the folder of the page of `tenon dev`; empty outside of development, and where the SDK is
// not installed.
std::string development_folder(const ShellOptions& options) {
  const std::string folder = options.directory + "/development";
  std::error_code failure;
  const bool is_there = std::filesystem::exists(folder + "/index.html", failure);
  return options.is_development && is_there ? folder : std::string();
}

// Below which the shell has pages; see shell-ui/shell/src/frame/pages.tsx.
constexpr std::array<std::string_view, 4> page_folders{"app", "settings", "sign-in", "setup"};
static_assert(std::all_of(page_folders.begin(), page_folders.end(), plugins::is_reserved_segment),
              "no plugin may be served at a page of the shell");

std::string_view first_segment(std::string_view path) {
  path.remove_prefix(1);
  return path.substr(0, path.find('/'));
}

bool has_page(std::string_view path) {
  return path == "/" || std::find(page_folders.begin(), page_folders.end(), first_segment(path)) !=
                            page_folders.end();
}

// A browser that asks for a page says so; a script that asks for data gets a problem it can read,
// and so does who asks for a file: /robots.txt, /tenon.db.
bool wants_page(const http::Request& request) {
  if (request.path == "/") return true;
  const std::string_view first = first_segment(request.path);
  if (first == "api" || first == "ui") return false;
  if (!has_page(request.path) && request.path.find('.') != std::string_view::npos) return false;
  return request.field("accept").find("text/html") != std::string_view::npos;
}

}  // namespace

class Shell::Implementation {
 public:
  Implementation(ShellOptions options, routing::Router& router, events::Bus& bus,
                 const identity::Authenticator& authenticator,
                 const identity::Permissions& permissions, realtime::Realtime& live,
                 std::vector<routing::Route> own_routes);
  ~Implementation();

  void activate(const PluginUi& ui);
  void deactivate(std::string_view plugin);
  void remove(std::string_view plugin);
  void forget_former_files();
  void close_channels() { channel_.close(); }
  void show_report(const std::string& title, const std::string& message, const std::string& code);
  void show_error(const std::string& json);
  void sign_pages_in(const std::string& login, const std::string& password);
  void open_in_pages(const std::string& path);

 private:
  struct Active {
    PluginItem item;
    std::unique_ptr<PluginFiles> files;               // null without a UI
    std::shared_ptr<const routing::RouteSet> routes;  // of the files
    bool is_doubted = false;                          // never to be served as what was before
  };

  void publish(std::string prefix, std::vector<routing::Route> routes);
  void retire(std::shared_ptr<Active> active);
  std::shared_ptr<const http::StaticTree> former_of(const PluginUi& ui,
                                                    const PluginItem& item) const;
  http::Response page(const http::Exchange& exchange) const;
  std::string boot_json(const identity::Principal* principal) const;
  std::string shell_json(const identity::Principal& principal) const;
  EventStreamHandler::Render view(const events::Event& event) const;
  std::string item_json(std::string_view plugin, const identity::Principal& principal) const;
  bool may_hear(const events::Audience& audience, const identity::Principal& principal) const;
  std::string report() const;

  const ShellOptions options_;
  routing::Router& router_;
  events::Bus& bus_;
  const identity::Authenticator& authenticator_;
  const identity::Permissions& permissions_;
  std::optional<IndexPage> index_;
  std::string index_failure_;
  std::unique_ptr<http::Handler> assets_;
  std::unique_ptr<http::Handler> development_assets_;  // null outside of development
  const DocsPage docs_;
  const DocsSite docs_site_;
  Function docs_site_handler_;
  Function docs_handler_;
  Function page_handler_;
  Function shell_handler_;
  EventStreamHandler channel_;
  std::vector<std::string> prefixes_;

  std::string report_ = "null";  // guarded by mutex_
  mutable std::shared_mutex mutex_;
  std::map<std::string, std::shared_ptr<Active>, std::less<>> active_;
  // Those that are disabled or failed, until they are back: not served.
  std::map<std::string, std::shared_ptr<Active>, std::less<>> away_;
  // Files of plugins that went, until the pending responses are sent.
  std::vector<std::shared_ptr<Active>> gone_;
};

Shell::Implementation::Implementation(ShellOptions options, routing::Router& router,
                                      events::Bus& bus,
                                      const identity::Authenticator& authenticator,
                                      const identity::Permissions& permissions,
                                      realtime::Realtime& live,
                                      std::vector<routing::Route> own_routes)
    : options_(std::move(options)),
      router_(router),
      bus_(bus),
      authenticator_(authenticator),
      permissions_(permissions),
      docs_(options_.directory),
      docs_site_(options_.docs),
      docs_site_handler_([this](const http::Exchange& exchange) {
        return docs_site_.respond(exchange.request());
      }),
      docs_handler_([this](const http::Exchange& exchange) {
        return docs_.render(exchange.request().field("host"));
      }),
      page_handler_([this](const http::Exchange& exchange) { return page(exchange); }),
      shell_handler_([this](const http::Exchange& exchange) {
        return http::json_response(200, shell_json(*routing::context(exchange).principal));
      }),
      channel_(
          bus, [this](const events::Event& event) { return view(event); }, live) {
  try {
    const std::string development = development_folder(options_);
    index_.emplace(development.empty() ? options_.directory : development);
    assets_ = http::make_static_handler(load_tree(options_.directory + "/assets"), "/ui/assets/");
    std::vector<routing::Route> routes{get_route("/ui/assets/{path...}", routing::Access::everyone,
                                                 *assets_, "Assets of the shell")};
    if (!development.empty()) {
      development_assets_ =
          http::make_static_handler(load_tree(development + "/assets"), "/ui/development/");
      routes.push_back(get_route("/ui/development/{path...}", routing::Access::everyone,
                                 *development_assets_, "Assets of the page of tenon dev"));
    }
    publish("/ui", std::move(routes));
  } catch (const base::Error& error) {
    index_.reset();
    index_failure_ = error.message();
    observability::log_warning("the UI is not served", {{"reason", error.message()}});
  }
  publish("/api/core/shell", {get_route("/api/core/shell", routing::Access::signed_in,
                                        shell_handler_, "What the shell needs for this user")});
  publish("/api/docs", {get_route("/api/docs", routing::Access::signed_in, docs_handler_,
                                  "The description of this API as a page")});
  publish("/docs",
          {get_route("/docs", routing::Access::everyone, docs_site_handler_, "Documentation"),
           get_route("/docs/{path...}", routing::Access::everyone, docs_site_handler_,
                     "Pages of the documentation")});
  publish("/api/core/events", {get_route("/api/core/events", routing::Access::signed_in, channel_,
                                         "Server-sent events")});
  own_routes.push_back(
      get_route("/{path...}", routing::Access::everyone, page_handler_, "The shell"));
  publish("", std::move(own_routes));
}

Shell::Implementation::~Implementation() {
  channel_.close();
  for (const std::string& prefix : prefixes_)
    router_.remove(prefix);
}

void Shell::Implementation::publish(std::string prefix, std::vector<routing::Route> routes) {
  router_.publish(std::make_shared<routing::RouteSet>("core", prefix, std::move(routes)));
  prefixes_.push_back(std::move(prefix));
}

void Shell::Implementation::activate(const PluginUi& ui) {
  const std::string prefix = std::string(plugin_prefix) + ui.id;
  auto active = std::make_shared<Active>(Active{PluginItem(ui), nullptr, nullptr});
  if (!ui.directory.empty()) {
    active->files = std::make_unique<PluginFiles>(prefix + "/", load_tree(ui.directory),
                                                  former_of(ui, active->item), !ui.is_installed);
    active->routes = std::make_shared<routing::RouteSet>(
        "core", prefix,
        std::vector{get_route(prefix + "/{path...}", routing::Access::everyone, *active->files,
                              "Assets of " + ui.id)});
    router_.publish(active->routes);
  }
  const std::unique_lock lock(mutex_);
  auto& stored = active_[ui.id];
  if (stored) retire(std::move(stored));
  stored = std::move(active);
  away_.erase(ui.id);
}

// Returns the former files that open pages may still request. A rollback and the next build remove
// them from the disk.
std::shared_ptr<const http::StaticTree> Shell::Implementation::former_of(
    const PluginUi& ui, const PluginItem& item) const {
  std::shared_ptr<Active> before;
  {
    const std::shared_lock lock(mutex_);
    const auto active = active_.find(ui.id);
    const auto away = away_.find(ui.id);
    if (active != active_.end())
      before = active->second;
    else if (away != away_.end())
      before = away->second;
  }
  if (!before || !before->files)
    return ui.former_directory.empty() ? nullptr : load_former(ui.former_directory);
  if (before->item.entry() == item.entry()) return before->files->former();
  if (before->is_doubted) return nullptr;
  before->files->current()->read_all(max_retained_files);
  return before->files->current();
}

void Shell::Implementation::retire(std::shared_ptr<Active> active) {
  std::erase_if(gone_, [](const auto& old) { return old->routes->gate().in_flight() == 0; });
  if (!active->routes) return;
  active->routes->gate().close();
  gone_.push_back(std::move(active));
}

void Shell::Implementation::deactivate(std::string_view plugin) {
  router_.unpublish(
      std::string(plugin_prefix) + std::string(plugin),
      {404, "plugins.not_active", "The plugin " + std::string(plugin) + " is not active."});
  const std::unique_lock lock(mutex_);
  const auto found = active_.find(plugin);
  if (found == active_.end()) return;
  away_[found->first] = found->second;
  retire(std::move(found->second));
  active_.erase(found);
}

void Shell::Implementation::remove(std::string_view plugin) {
  const std::unique_lock lock(mutex_);
  if (const auto found = away_.find(plugin); found != away_.end()) away_.erase(found);
}

void Shell::Implementation::forget_former_files() {
  const std::unique_lock lock(mutex_);
  away_.clear();
  for (const auto& [id, active] : active_) {
    active->is_doubted = true;
    if (active->files) active->files->forget_former();
  }
}

http::Response Shell::Implementation::page(const http::Exchange& exchange) const {
  const http::Request& request = exchange.request();
  if (!wants_page(request)) {
    throw base::Error(404, "http.not_found",
                      "There is nothing at " + std::string(request.path) + ".");
  }
  if (!index_) throw base::Error(503, "shell.ui_missing", index_failure_);
  http::Response response =
      index_->render(boot_json(routing::context(exchange).principal.get()), request.field("host"));
  // People see the shell's own page for an unknown address, programs see the status.
  if (!has_page(request.path)) response.status = 404;
  // A few kilobytes, once a visit: the I/O thread can afford it, which compresses nothing by
  // itself.
  http::compress(request, response, http::Limits());
  return response;
}

std::string Shell::Implementation::boot_json(const identity::Principal* principal) const {
  std::string text;
  base::JsonWriter json(text);
  json.begin_object().member("name", options_.name).key("session");
  if (principal)
    json.raw(identity::session_json(*principal, permissions_));
  else
    json.null();
  json.member("setup", authenticator_.challenge().code() == "identity.setup_required").key("shell");
  if (principal)
    json.raw(shell_json(*principal));
  else
    json.null();
  json.member("snapshot", bus_.newest());
  if (options_.is_development) json.key("report").raw(report());
  json.end_object();
  return text;
}

std::string Shell::Implementation::report() const {
  const std::shared_lock lock(mutex_);
  return report_;
}

void Shell::Implementation::show_report(const std::string& title, const std::string& message,
                                        const std::string& code) {
  if (!options_.is_development) return;
  std::string data = "null";
  if (!title.empty()) {
    data.clear();
    base::JsonWriter(data)
        .begin_object()
        .member("title", title)
        .member("message", message)
        .member("code", code)
        .end_object();
  }
  {
    const std::unique_lock lock(mutex_);
    report_ = data;
  }
  bus_.publish(std::string(development_topic), std::move(data));
}

void Shell::Implementation::show_error(const std::string& json) {
  if (!options_.is_development) return;
  std::string data;
  base::JsonWriter(data).begin_object().key("error").raw(json).end_object();
  bus_.publish(std::string(development_topic), std::move(data));
}

void Shell::Implementation::sign_pages_in(const std::string& login, const std::string& password) {
  if (!options_.is_development) return;
  std::string data;
  base::JsonWriter(data)
      .begin_object()
      .key("sign_in")
      .begin_object()
      .member("login", login)
      .member("password", password)
      .end_object()
      .end_object();
  bus_.publish(std::string(development_topic), std::move(data));
}

void Shell::Implementation::open_in_pages(const std::string& path) {
  if (!options_.is_development) return;
  std::string data;
  base::JsonWriter(data).begin_object().member("open", path).end_object();
  bus_.publish(std::string(development_topic), std::move(data));
}

std::string Shell::Implementation::shell_json(const identity::Principal& principal) const {
  std::string text;
  base::JsonWriter json(text);
  json.begin_object().member("name", options_.name).key("user").raw(identity::user_json(principal));
  identity::write_rights(json, principal, permissions_);
  json.key("plugins").begin_array();
  const std::shared_lock lock(mutex_);
  for (const auto& [id, active] : active_) {
    const std::string item = active->item.json(
        [&](std::string_view permission) { return permissions_.allows(principal, permission); });
    if (!item.empty()) json.raw(item);
  }
  json.end_array().end_object();
  return text;
}

std::string Shell::Implementation::item_json(std::string_view plugin,
                                             const identity::Principal& principal) const {
  const std::shared_lock lock(mutex_);
  const auto found = active_.find(plugin);
  if (found == active_.end()) return {};
  return found->second->item.json(
      [&](std::string_view permission) { return permissions_.allows(principal, permission); });
}

bool Shell::Implementation::may_hear(const events::Audience& audience,
                                     const identity::Principal& principal) const {
  if (!audience.includes(principal.user_id, principal.groups)) return false;
  const auto allows = [&](std::string_view permission) {
    return permissions_.allows(principal, permission);
  };
  if (!audience.permission.empty()) return allows(audience.permission);
  const std::shared_lock lock(mutex_);
  const auto found = active_.find(audience.plugin);
  return found != active_.end() && found->second->item.is_shown(allows);
}

EventStreamHandler::Render Shell::Implementation::view(const events::Event& event) const {
  if (event.audience) {
    return [this, &event](const identity::Principal& principal) {
      return may_hear(*event.audience, principal) ? event.data : std::string();
    };
  }
  if (event.topic == jobs::jobs_topic) {
    return [data = event.data](const identity::Principal& principal) {
      return principal.role == identity::Role::admin ? data : std::string();
    };
  }
  if (event.topic == development_topic)
    return [data = event.data](const identity::Principal&) { return data; };
  if (event.topic != plugins::plugins_topic) return {};
  const auto data = base::parse_json_object(event.data);
  const std::string id = data->optValue<std::string>("id", "");
  const std::string state = data->optValue<std::string>("state", "");
  std::string text;
  base::JsonWriter json(text);
  json.begin_object()
      .member("id", id)
      .member("state", state)
      .member("generation", data->optValue<Poco::UInt64>("generation", 0))
      .key("plugin");
  std::string without_item = text + "null}";
  if (state != "active") return [without_item](const identity::Principal&) { return without_item; };
  return [this, id, text, without_item](const identity::Principal& principal) {
    const std::string item = item_json(id, principal);
    if (!item.empty()) return text + item + "}";
    // A user who may not see the plugin gets no event of it, except admins.
    return principal.role == identity::Role::admin ? without_item : std::string();
  };
}

Shell::Shell(ShellOptions options, routing::Router& router, events::Bus& bus,
             const identity::Authenticator& authenticator, const identity::Permissions& permissions,
             realtime::Realtime& live, std::vector<routing::Route> own_routes)
    : implementation_(std::make_unique<Implementation>(std::move(options), router, bus,
                                                       authenticator, permissions, live,
                                                       std::move(own_routes))) {}

Shell::~Shell() = default;

void Shell::activate(const PluginUi& ui) {
  implementation_->activate(ui);
}

void Shell::show_report(const std::string& title, const std::string& message,
                        const std::string& code) {
  implementation_->show_report(title, message, code);
}

void Shell::show_error(const std::string& json) {
  implementation_->show_error(json);
}

void Shell::open_in_pages(const std::string& path) {
  implementation_->open_in_pages(path);
}

void Shell::sign_pages_in(const std::string& login, const std::string& password) {
  implementation_->sign_pages_in(login, password);
}

void Shell::deactivate(std::string_view plugin) {
  implementation_->deactivate(plugin);
}

void Shell::remove(std::string_view plugin) {
  implementation_->remove(plugin);
}

void Shell::forget_former_files() {
  implementation_->forget_former_files();
}

void Shell::close_channels() {
  implementation_->close_channels();
}

}  // namespace tenon::shell

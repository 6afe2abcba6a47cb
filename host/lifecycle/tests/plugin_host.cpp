#include "lifecycle/tests/plugin_host.hpp"

#include <filesystem>
#include <sstream>
#include <thread>

#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include "blobs/blobs.hpp"
#include "blobs/disk_store.hpp"
#include "blobs/uploads.hpp"
#include "data/database.hpp"
#include "http/loop/server.hpp"
#include "http/workers/worker_pool.hpp"
#include "identity/identity.hpp"
#include "identity/sessions/authenticator.hpp"
#include "identity/sessions/cookie.hpp"
#include "identity/users/permissions.hpp"
#include "identity/users/users.hpp"
#include "jobs/jobs.hpp"
#include "observability/log.hpp"
#include "observability/metrics.hpp"
#include "realtime/realtime.hpp"
#include "routing/dispatcher.hpp"
#include "routing/router.hpp"

namespace tenon::plugins::test {

namespace {

data::DatabaseOptions host_database(const std::string& folder) {
  data::DatabaseOptions options;
  options.path = folder + "/tenon.db";
  options.confinement = data::Confinement::host();
  return options;
}

class WalFile {
 public:
  explicit WalFile(const std::string& path)
      : path_(path),
        descriptor_(
            ::open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_APPEND | O_CLOEXEC, 0600)),
        log_({.level = observability::Level::info, .descriptor = descriptor_, .access = false}) {
    observability::install_log(&log_);
  }
  ~WalFile() {
    observability::install_log(nullptr);
    log_.flush();
    ::close(descriptor_);
  }
  std::string text() {
    log_.flush();
    return read_file(path_);
  }

 private:
  std::string path_;
  int descriptor_;
  observability::Log log_;
};

constexpr const char* password = "correct horse";

}  // namespace

class PluginHost::Implementation {
 public:
  explicit Implementation(Options given)
      : options(std::move(given)),
        log(folder.path() + "/log"),
        database(host_database(folder.path())),
        identity(database, bus, metrics,
                 {.sessions = {}, .passwords = {}, .clock = {}, .maintain = false}),
        workers(http::WorkerPool::Options{.threads = 16}),
        router(metrics),
        dispatcher(router, identity.authenticator(), identity.permissions(), metrics),
        blobs(database, std::make_unique<blobs::DiskStore>(folder.path() + "/blobs"), {}),
        uploads(blobs),
        jobs(database, bus, metrics),
        live(identity.permissions(), metrics),
        subscription(bus.subscribe({"core.plugins"},
                                   [this](const std::shared_ptr<const events::Event>& event) {
                                     const std::lock_guard lock(mutex);
                                     events.push_back(event->data);
                                   })) {
    make_lifecycle();
  }
  ~Implementation() {
    stop_server();
    lifecycle.reset();
    workers.stop();
  }

  std::vector<std::string> directories() const {
    return {folder.path() + "/plugins0", folder.path() + "/plugins1", folder.path() + "/not-there"};
  }
  void make_lifecycle() {
    LifecycleOptions lifecycle_options;
    lifecycle_options.data = folder.path() + "/data";
    std::filesystem::create_directories(lifecycle_options.data);
    lifecycle_options.folders = directories();
    lifecycle_options.host_version = "0.1.0";
    lifecycle_options.drain = options.drain;
    lifecycle_options.start_timeout = options.start_timeout;
    lifecycle_options.stop_timeout = options.stop_timeout;
    lifecycle_options.health_timeout = options.health_timeout;
    lifecycle_options.health_pause = options.health_pause;
    lifecycle_options.on_activate = options.on_activate;
    lifecycle_options.restart = options.restart;
    lifecycle = std::make_unique<Lifecycle>(
        LifecycleRooms{database, identity.users(), identity.permissions(), bus, metrics, workers,
                       router, blobs, uploads, jobs, live},
        std::move(lifecycle_options));
  }
  void start_server() {
    http::ServerOptions server_options;
    server_options.port = 0;
    server_options.io_threads = 2;
    server = std::make_unique<http::Server>(server_options, dispatcher, workers);
    server->start();
  }
  void stop_server() {
    if (server) server->stop(std::chrono::seconds(5));
    server.reset();
  }

  const Options options;
  TemporaryFolder folder;
  WalFile log;
  data::Database database;
  events::Bus bus;
  observability::Metrics metrics;
  identity::Identity identity;
  http::WorkerPool workers;
  routing::Router router;
  routing::Dispatcher dispatcher;
  blobs::Blobs blobs;
  blobs::Uploads uploads;
  jobs::Jobs jobs;
  realtime::Realtime live;
  std::mutex mutex;
  std::vector<std::string> events;
  std::unique_ptr<events::Subscription> subscription;
  std::unique_ptr<Lifecycle> lifecycle;
  std::unique_ptr<http::Server> server;
};

PluginHost::PluginHost() : PluginHost(Options{}) {}
PluginHost::PluginHost(Options options)
    : implementation_(std::make_unique<Implementation>(std::move(options))) {}
PluginHost::~PluginHost() = default;

std::string PluginHost::put(const std::string& id, const std::string& library,
                            const std::string& version, const std::string& more, int directory) {
  return put_plugin(folder() + "/plugins" + std::to_string(directory), id,
                    manifest_text(id, version, more), library);
}

std::string PluginHost::put_probe(const std::string& id, const std::string& library,
                                  const std::string& version, const std::string& settings) {
  const std::string more =
      R"(,"permissions":[{"id":")" + id + R"(.use","title":"Use","roles":["member"]},{"id":")" +
      id +
      R"(.admin","title":"Admin","roles":[]}],"settings":{"properties":{"journal":{"default":")" +
      folder() + "/journal." + id + R"("},"size":{"default":5})" + settings + "}}";
  const std::string where = put(id, library, version, more);
  write_file(where + "/tables.json",
             R"({"tables":[{"name":"rows","fields":[{"name":"body","type":"text"}]}]})");
  return where;
}

void PluginHost::start() {
  implementation_->lifecycle->start();
  if (!implementation_->server) implementation_->start_server();
}

void PluginHost::restart() {
  implementation_->stop_server();
  implementation_->lifecycle.reset();
  implementation_->make_lifecycle();
}

Lifecycle& PluginHost::lifecycle() {
  return *implementation_->lifecycle;
}
identity::Identity& PluginHost::identity() {
  return implementation_->identity;
}
data::Database& PluginHost::database() {
  return implementation_->database;
}
routing::Router& PluginHost::router() {
  return implementation_->router;
}
http::WorkerPool& PluginHost::workers() {
  return implementation_->workers;
}
std::vector<std::string> PluginHost::directories() const {
  return implementation_->directories();
}
const std::string& PluginHost::folder() const {
  return implementation_->folder.path();
}
std::uint16_t PluginHost::port() const {
  return implementation_->server->port();
}

PluginStatus PluginHost::status(const std::string& id) {
  const auto listing = lifecycle().listing();
  for (const auto& status : *listing) {
    if (status->id == id) return *status;
  }
  return {};
}

std::string PluginHost::state(const std::string& id) {
  const PluginStatus found = status(id);
  if (found.id.empty()) return "none";
  std::string text(to_string(found.state));
  if (found.reason) text += ":" + found.reason->code;
  return text;
}

Reply PluginHost::get(const std::string& path, const std::string& cookie) {
  RawClient client(port());
  client.send("GET " + path + " HTTP/1.1\r\nHost: x\r\n" +
              (cookie.empty() ? "" : "Cookie: " + cookie + "\r\n") + "\r\n");
  return client.read_reply();
}

Reply PluginHost::post(const std::string& path, const std::string& body, const std::string& type,
                       const std::string& cookie) {
  RawClient client(port());
  client.send("POST " + path + " HTTP/1.1\r\nHost: x\r\nContent-Length: " +
              std::to_string(body.size()) + "\r\nContent-Type: " + type + "\r\n" +
              (cookie.empty() ? "" : "Cookie: " + cookie + "\r\n") + "\r\n" + body);
  return client.read_reply();
}

std::string PluginHost::sign_in(const std::string& login, bool is_admin) {
  identity().users().create({.login = login,
                             .name = "",
                             .role = is_admin ? identity::Role::admin : identity::Role::member,
                             .password = password});
  return std::string(identity::session_cookie_name(false)) + "=" +
         identity().sign_in(login, password, {"127.0.0.1"}, "test", {}).token;
}

std::vector<std::string> PluginHost::journal(const std::string& id) {
  std::vector<std::string> lines;
  std::istringstream text(read_file(folder() + "/journal." + id));
  for (std::string line; std::getline(text, line);)
    lines.push_back(line);
  return lines;
}

std::size_t PluginHost::count(const std::string& beginning, const std::string& id) {
  std::size_t found = 0;
  for (const std::string& line : journal(id))
    found += line.starts_with(beginning);
  return found;
}

bool PluginHost::wait_for(const std::string& beginning, const std::string& id, std::size_t times) {
  for (int i = 0; i < 6'000; ++i) {
    if (count(beginning, id) >= times) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

std::vector<std::string> PluginHost::events() {
  const std::lock_guard lock(implementation_->mutex);
  return implementation_->events;
}

std::string PluginHost::log_text() {
  return implementation_->log.text();
}
std::string PluginHost::metrics_text() {
  return implementation_->metrics.prometheus();
}

std::size_t PluginHost::mapped() const {
  struct Search {
    std::string folder;
    std::size_t count = 0;
  } search{folder() + "/data/run/plugins/"};
  ::dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* given) -> int {
        auto& asked = *static_cast<Search*>(given);
        if (info->dlpi_name && std::string_view(info->dlpi_name).starts_with(asked.folder))
          ++asked.count;
        return 0;
      },
      &search);
  return search.count;
}

}  // namespace tenon::plugins::test

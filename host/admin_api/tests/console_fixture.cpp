#include "admin_api/tests/console_fixture.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <Poco/JSON/Array.h>
#include <Poco/JSON/Object.h>
#include <Poco/Net/HTTPClientSession.h>
#include <Poco/Net/HTTPRequest.h>
#include <Poco/Net/HTTPResponse.h>
#include <Poco/StreamCopier.h>
#include <fcntl.h>
#include <unistd.h>

#include "admin_api/account/account_routes.hpp"
#include "base/clock.hpp"
#include "base/json.hpp"
#include "data/database.hpp"
#include "events/bus.hpp"
#include "http/loop/server.hpp"
#include "http/workers/worker_pool.hpp"
#include "identity/sessions/authenticator.hpp"
#include "identity/users/permissions.hpp"
#include "observability/log.hpp"
#include "observability/metrics.hpp"
#include "routing/dispatcher.hpp"
#include "routing/router.hpp"

namespace tenon::console {

namespace {

std::string make_folder() {
  const std::string folder =
      std::filesystem::path(testing::TempDir()) / ("tenon-console-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  return folder;
}

class WalFile {
 public:
  explicit WalFile(const std::string& path)
      : path_(path),
        descriptor_(
            ::open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_APPEND | O_CLOEXEC, 0600)),
        log_({.level = observability::Level::debug, .descriptor = descriptor_}) {
    observability::install_log(&log_);
  }
  ~WalFile() {
    observability::install_log(nullptr);
    log_.flush();
    ::close(descriptor_);
  }
  std::string text() {
    log_.flush();
    std::ostringstream all;
    all << std::ifstream(path_).rdbuf();
    return all.str();
  }

 private:
  std::string path_;
  int descriptor_;
  observability::Log log_;
};

}  // namespace

struct ConsoleFixture::Server {
  explicit Server(std::atomic<std::int64_t>& now)
      : folder(make_folder()),
        log(folder + "/log"),
        database(data::test::fresh_host_database(folder + "/tenon.db")),
        identity(database, bus, metrics,
                 {.sessions = {},
                  .passwords = {},
                  .clock = [&now] { return now.load(); },
                  .maintain = false}),
        workers({}),
        share(workers.make_share("console")),
        account(identity, *share),
        router(metrics),
        dispatcher(router, identity.authenticator(), identity.permissions(), metrics) {
    identity.permissions().declare("notes", {{"notes.use", "Use notes", {identity::Role::member}},
                                             {"notes.manage", "Manage", {}}});
    router.publish(std::make_shared<routing::RouteSet>("core", "/api/core", account.routes()));
    http::ServerOptions options;
    options.port = 0;
    options.io_threads = 1;
    front = std::make_unique<http::Server>(options, dispatcher, workers);
    front->start();
  }
  ~Server() {
    front->stop(std::chrono::seconds(5));
    workers.stop();
    router.remove("/api/core");
    std::filesystem::remove_all(folder);
  }

  std::string folder;
  WalFile log;
  data::Database database;
  events::Bus bus;
  observability::Metrics metrics;
  identity::Identity identity;
  http::WorkerPool workers;
  std::shared_ptr<http::WorkerShare> share;
  AccountRoutes account;
  routing::Router router;
  routing::Dispatcher dispatcher;
  std::unique_ptr<http::Server> front;
};

std::string Reply::cookie() const {
  const auto found = headers.find("set-cookie");
  if (found == headers.end()) return {};
  const std::string pair = found->second.substr(0, found->second.find(';'));
  return pair.ends_with('=') ? std::string() : pair;
}

std::string Reply::code() const {
  if (status < 400) return {};
  return base::parse_json_object(body)->optValue<std::string>("code", "");
}

std::string Reply::fields() const {
  std::string text;
  const auto errors = base::parse_json_object(body)->getArray("errors");
  for (unsigned i = 0; errors && i < errors->size(); ++i) {
    const auto error = errors->getObject(i);
    text += (text.empty() ? "" : " ") + error->getValue<std::string>("field") + ":" +
            error->getValue<std::string>("code");
    EXPECT_FALSE(error->getValue<std::string>("message").empty());
  }
  return text;
}

ConsoleFixture::ConsoleFixture()
    : now_(base::unix_milliseconds()), server_(std::make_unique<Server>(now_)) {}
ConsoleFixture::~ConsoleFixture() = default;

identity::Identity& ConsoleFixture::identity() {
  return server_->identity;
}
const std::string& ConsoleFixture::folder() const {
  return server_->folder;
}
std::string ConsoleFixture::log_text() {
  return server_->log.text();
}

identity::User ConsoleFixture::add(const std::string& login, identity::Role role) {
  return identity().users().create(
      {.login = login, .name = "", .role = role, .password = password});
}

std::string ConsoleFixture::sign_in(const std::string& login, const std::string& with) {
  const Reply reply = send("POST", "/api/core/session",
                           R"({"login":")" + login + R"(","password":")" + with + R"("})");
  EXPECT_EQ(reply.status, 201) << reply.body;
  return reply.cookie();
}

Reply ConsoleFixture::send(const std::string& method, const std::string& path,
                           const std::string& body, const std::string& cookie,
                           const std::map<std::string, std::string>& headers) {
  Poco::Net::HTTPClientSession session("127.0.0.1", server_->front->port());
  Poco::Net::HTTPRequest request(method, path, "HTTP/1.1");
  request.set("Sec-Fetch-Site", "same-origin");
  request.set("User-Agent", "Test/1.0");
  if (!cookie.empty()) request.set("Cookie", cookie);
  if (!body.empty()) request.setContentType("application/json");
  if (!body.empty() || method == "POST" || method == "PATCH")
    request.setContentLength64(static_cast<Poco::Int64>(body.size()));
  for (const auto& [name, value] : headers) {
    if (value.empty())
      request.erase(name);
    else
      request.set(name, value);
  }
  session.sendRequest(request) << body;
  Poco::Net::HTTPResponse response;
  std::istream& stream = session.receiveResponse(response);
  Reply reply;
  reply.status = response.getStatus();
  Poco::StreamCopier::copyToString(stream, reply.body);
  for (const auto& [name, value] : response) {
    std::string lower = name;
    for (char& c : lower)
      c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    reply.headers[lower] = value;
  }
  return reply;
}

std::vector<std::string> ConsoleFixture::audited() {
  std::vector<std::string> actions;
  data::Rows rows = server_->database.query("SELECT action FROM identity_audit ORDER BY id");
  while (rows.next())
    actions.emplace_back(rows.text(0));
  return actions;
}

}  // namespace tenon::console

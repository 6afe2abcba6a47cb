// The exercise with the C++ wrapper.
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tenon/plugin.hpp>

#include "exercise_data.hpp"

namespace {

using tenon::Request;
using tenon::Response;

constexpr tenon::Access read_access = tenon::access::permission(TENON_PLUGIN_ID ".read");
constexpr tenon::Access write_access = tenon::access::permission(TENON_PLUGIN_ID ".write");

class Upload {
 public:
  std::uint64_t bytes = 0;
  std::uint32_t sum = 2166136261u;  // FNV-1a

  void data(std::string_view piece) {
    for (const char c : piece)
      sum = (sum ^ static_cast<unsigned char>(c)) * 16777619u;
    bytes += piece.size();
  }
  Response end() { return Response::json({{"bytes", bytes}, {"sum", sum}}); }
};

class Exercise : public tenon::Plugin {
 public:
  explicit Exercise(tenon::Host& host) : Plugin(host) {
    add_plain_routes();
    add_later_routes();
    add_host_routes();
    if (exercise::Data::is_offered(host)) data_.emplace(host);
    host.settings().watch([this](std::string_view key, std::string_view json) {
      const std::lock_guard lock(mutex_);
      change_ = std::string(key) + "=" + std::string(json);
    });
  }

  void start() override {
    if (!log().keeps_debug()) log().info("exercise starts", {{"generation", host().generation()}});
  }
  void health() override {
    const std::lock_guard lock(mutex_);
    if (change_ == R"(color="pale")") throw tenon::Error(500, "exercise.pale", "It is pale.");
  }
  void quiesce(std::chrono::milliseconds) override { wake(503); }

 private:
  void add_plain_routes() {
    tenon::Http& http = host().http();
    http.get("/hello/{name}", tenon::access::everyone, {.is_inline = true, .summary = "Says hello"},
             [](const Request& r) {
               return Response::json({{"hello", r.param("name")}});
             });
    http.post("/echo", tenon::access::signed_in, [](const Request& r) {
      return Response::json_text(std::string(r.body()), 201).header("x-exercise", "echo");
    });
    http.get("/fail", tenon::access::everyone, [](const Request&) -> Response {
      throw tenon::Error(422, "exercise.failed", "This always fails.",
                         {{"field", "wrong", "This field is wrong."}})
          .with(R"({"extra":{"depth":1}})")
          .header("x-exercise", "fail");
    });
    http.put("/upload", write_access, {.body = tenon::Body::streamed, .body_limit = 8u << 20},
             [](const Request& r) { return r.read_body(Upload{}); });
    http.get("/rest/{rest...}", tenon::access::signed_in,
             [](const Request& r) { return Response::text(std::string(r.param("rest"))); });
  }

  void add_later_routes() {
    tenon::Http& http = host().http();
    http.get("/later", tenon::access::everyone, [this](const Request& r) {
      const std::lock_guard lock(mutex_);
      waiting_.push_back(r.defer());
      return Response::deferred();
    });
    http.get("/wake", tenon::access::everyone, [this](const Request&) {
      return Response::json({{"woken", wake(200)}});
    });
    http.get("/stream", tenon::access::everyone, [](const Request& r) {
      return Response::stream(
          "text/plain", [line = 0, last = r.query<int>("lines", 10)](tenon::Stream& out) mutable {
            while (line < last) {
              if (!out.write("line " + std::to_string(++line) + "\n")) break;
            }
            return line < last;
          });
    });
  }

  void add_host_routes() {
    tenon::Http& http = host().http();
    http.get("/who", tenon::access::signed_in, [](const Request& r) {
      const auto user = r.user();
      return Response::json({{"login", user ? user->login : ""},
                             {"read", r.can(TENON_PLUGIN_ID ".read")},
                             {"write", r.can(TENON_PLUGIN_ID ".write")}});
    });
    http.get("/users", read_access, [this](const Request&) {
      tenon::Json logins = tenon::Json::array();
      for (const tenon::User& user : host().identity().all())
        logins.push_back(user.login);
      return Response::json({{"logins", std::move(logins)}});
    });
    http.get("/items", read_access, [this](const Request&) {
      return Response::json(
          {{"items", database().all<std::string>("SELECT name FROM items ORDER BY name")}});
    });
    http.post("/items", write_access, {.body = tenon::Body::whole}, [this](const Request& r) {
      database().transaction([&](tenon::Transaction& tx) {
        tx.exec("INSERT INTO items (id, name) VALUES (?, ?)", tenon::new_id(), r.body());
        if (r.query<bool>("undo", false)) tx.rollback();
      });
      return Response::empty(201);
    });
    http.get("/setting", read_access, [this](const Request&) {
      const std::lock_guard lock(mutex_);
      return Response::json(
          {{"color", host().settings().get<std::string>("color", "")}, {"change", change_}});
    });
    http.put("/setting", write_access, [this](const Request& r) {
      host().settings().set_text("color", r.body());
      return Response::empty();
    });
  }

  int wake(int status) {
    std::vector<tenon::Deferred> waiting;
    {
      const std::lock_guard lock(mutex_);
      waiting.swap(waiting_);
    }
    int woken = 0;
    for (tenon::Deferred& deferred : waiting) {
      if (deferred.is_wanted()) ++woken;
      if (status == 200) {
        deferred.respond(Response::text("late"));
      } else {
        deferred.fail({status, "exercise.leaving", "The plugin is leaving."});
      }
    }
    return woken;
  }

  std::mutex mutex_;
  std::vector<tenon::Deferred> waiting_;
  std::string change_;
  std::optional<exercise::Data> data_;
};

}  // namespace

TENON_PLUGIN(Exercise)

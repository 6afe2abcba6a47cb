// Runs statements that the database rejects, and reads bodies that have another form.
#include <string>

#include <tenon/plugin.hpp>

namespace {

class WrongStatements : public tenon::Plugin {
 public:
  explicit WrongStatements(tenon::Host& host) : Plugin(host) {
    auto& http = host.http();
    http.get("/query/{id}", tenon::access::everyone, [this](const tenon::Request& request) {
      static_cast<void>(database().query("SELECT titel FROM sqlite_or_none WHERE id = ?",
                                         std::string(request.param("id"))));
      return tenon::Response::text("not reached");
    });
    http.get("/exec", tenon::access::everyone, [this](const tenon::Request&) {
      database().exec("UPDATE nothing SET a = 1");
      return tenon::Response::text("not reached");
    });
    http.post("/body", tenon::access::everyone, {.body = tenon::Body::json},
              [](const tenon::Request& request) {
                const tenon::Json body = request.json();
                const auto name = body.at("owner").at("name").get<std::string>();
                return tenon::Response::text(name + std::to_string(body.at("count").get<int>()));
              });
    http.get("/own-json", tenon::access::everyone, [](const tenon::Request&) {
      return tenon::Response::text(tenon::Json::object().at("none").get<std::string>());
    });
  }
};

}  // namespace

TENON_PLUGIN(WrongStatements)

// The plugin that ./dev bench measures: the same 1 KB response on an I/O thread and on a worker, a
// durable create, and the tasks of tasks.cpp.

#include <string>

#include <tenon/plugin.hpp>

#include "tasks.hpp"

namespace {

class Bench final : public tenon::Plugin {
 public:
  explicit Bench(tenon::Host& host) : Plugin(host) {
    const auto kilobyte = [](const tenon::Request&) {
      return tenon::Response::text(std::string(1024, 'x'));
    };
    host.http().get("/inline", tenon::access::everyone, {.is_inline = true}, kilobyte);
    host.http().get("/worker", tenon::access::everyone, kilobyte);
    const tenon::RouteOptions small{.body_limit = 16 * 1024, .is_inline = true};
    host.http().post(
        "/records", tenon::access::everyone, small, [this](const tenon::Request& request) {
          const tenon::Json body = request.json();
          return database().write(
              request.defer(), [id = tenon::new_id(), title = body.at("title").get<std::string>(),
                                text = body.at("body").get<std::string>()](tenon::Transaction& db) {
                db.exec("INSERT INTO records (id, title, body, created) VALUES (?, ?, ?, ?)", id,
                        title, text, tenon::now_text());
                return tenon::Response::json({{"id", id}}, 201);
              });
        });
    bench::add_task_routes(host);
  }
};

}  // namespace

TENON_PLUGIN(Bench)

#include <chrono>
#include <string>

#include <tenon/plugin.hpp>

#include "repeat.hpp"
#include "tasks_tables.hpp"
#include "trello.hpp"

namespace tasks {
namespace {

// Maximum size of an upload and of an export of Trello; files of cards have the bound of their
// field.
constexpr std::size_t max_bytes = std::size_t{32} << 20;

/// All that tables, rules and triggers cannot say: uploads, cards that repeat, boards of Trello.
class TasksPlugin : public tenon::Plugin {
 public:
  explicit TasksPlugin(tenon::Host& host) : Plugin(host) {
    const auto use = tenon::access::permission("tasks.use");
    host.blobs().accept_uploads(use, {.max_bytes = max_bytes});
    host.jobs().on("repeat", [this](const tenon::JobRun& run) {
      repeat_cards(database(), std::chrono::floor<std::chrono::days>(tenon::now()), run);
    });
    host.jobs().schedule({.name = "repeat", .cron = "5 * * * *", .kind = "repeat"});
    host.jobs().on("trello", [this](const tenon::JobRun& run) {
      const auto order = run.payload<tenon::Json>();
      const std::string text =
          this->host().blobs().open(order.at("blob").get<std::string>()).read_all(max_bytes);
      import_trello(database(), text, tenon::Id<tables::Boards>(order.at("board")),
                    tenon::UserId(order.at("user")));
    });
    host.http().post("/trello", use,
                     [this](const tenon::Request& request) { return begin_trello(request); });
    host.http().get("/trello/{job}", use,
                    [this](const tenon::Request& request) { return trello(request); });
  }

 private:
  tenon::Response begin_trello(const tenon::Request& request) {
    const auto blob = request.json().at("blob").get<std::string>();
    if (!host().blobs().has_uploaded(blob, request.user_id()))
      throw tenon::Error(422, "tasks.not_uploaded", "Upload the file first.");
    const std::string board = tenon::new_id();
    const auto job = host().jobs().enqueue(
        "trello",
        tenon::Json{{"blob", blob}, {"board", board}, {"user", std::string(request.user_id())}},
        {.max_attempts = 3});
    return tenon::Response::json({{"job", job.id}, {"board", board}}, 202);
  }

  tenon::Response trello(const tenon::Request& request) {
    const auto job = host().jobs().find(request.param("job"));
    if (!job || job->kind != "trello")
      throw tenon::Error(404, "tasks.no_import", "There is no such import.");
    const bool is_finished =
        job->state != tenon::JobState::waiting && job->state != tenon::JobState::running;
    return tenon::Response::json({{"over", is_finished},
                                  {"done", job->state == tenon::JobState::done},
                                  {"error", job->error}});
  }
};

}  // namespace
}  // namespace tasks

TENON_PLUGIN(tasks::TasksPlugin)

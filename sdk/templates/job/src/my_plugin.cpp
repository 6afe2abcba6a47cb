#include <sstream>
#include <string>

#include <tenon/plugin.hpp>

#include "my_plugin_tables.hpp"

namespace my_plugin {

using tables::Texts;

// The payload of a job is JSON: the ID of the text to count.
struct Order {
  std::string text;
};
void to_json(tenon::Json& json, const Order& order) {
  json = {{"text", order.text}};
}
void from_json(const tenon::Json& json, Order& order) {
  json.at("text").get_to(order.text);
}

// Counts the words of each new text in a job. plugin.json has a schedule that deletes old texts.
class MyPlugin : public tenon::Plugin {
 public:
  explicit MyPlugin(tenon::Host& host) : Plugin(host) {
    host.jobs().on("count", [this](const tenon::JobRun& run) { count(run.payload<Order>()); });
    host.http().post("/texts/{id}/count", tenon::access::permission("my-plugin.use"),
                     {.summary = "Counts the words of a text in a job"},
                     [this](const tenon::Request& request) { return start_count(request); });
  }

 private:
  tenon::Response start_count(const tenon::Request& request) {
    // The rules of the table apply to the user of the request.
    const tenon::Table<Texts> texts(database(), tenon::Actor(request));
    const auto text = texts.get(tenon::Id<Texts>(std::string(request.param("id"))));
    if (!text) throw tenon::Error(404, "my-plugin.no_text", "There is no such text.");
    // A second job of the same text is not created while one waits.
    const auto job = host().jobs().enqueue("count", Order{text->id.text()},
                                           {.key = text->id.text(), .max_attempts = 5});
    return tenon::Response::json({{"job", job.id}}, 202);
  }

  // A job may run twice, so it must not matter if the result is there already.
  void count(const Order& order) {
    const tenon::Table<Texts> texts(database(), tenon::Actor::system());
    const tenon::Id<Texts> id(order.text);
    const auto text = texts.get(id);
    if (!text) throw tenon::JobFailed("The text was deleted.");
    std::istringstream stream(text->text);
    std::int64_t words = 0;
    for (std::string word; stream >> word;)
      ++words;
    texts.update(id, {.words = words});
  }
};

}  // namespace my_plugin

TENON_PLUGIN(my_plugin::MyPlugin)

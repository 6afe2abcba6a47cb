#include <string>
#include <utility>

#include <tenon/plugin.hpp>

#include "my_plugin_settings.hpp"
#include "my_plugin_tables.hpp"

namespace my_plugin {

using tables::Entries;
using tables::Entry;

tenon::Json to_json(const Entry& entry) {
  return {
      {"id", entry.id.text()}, {"text", entry.text}, {"created", tenon::rfc3339(entry.created)}};
}

// The host provides routes to list, create, change and delete entries at /api/my-plugin/entries.
// This class adds routes that tables.json cannot express.
class MyPlugin : public tenon::Plugin {
 public:
  explicit MyPlugin(tenon::Host& host) : Plugin(host) {
    constexpr tenon::Access use = tenon::access::permission("my-plugin.use");
    host.http().get("/guests", use, {.summary = "Lists the guests with their number of entries"},
                    [this](const tenon::Request&) { return list(); });
    host.http().post("/guests", use, {.summary = "Signs the guest book"},
                     [this](const tenon::Request& request) { return sign(request); });
  }

 private:
  tenon::Response list() {
    return tenon::Response::json_text(database().json_rows(
        "SELECT created_by AS guest, COUNT(*) AS entries, MAX(created) AS latest FROM entries "
        "GROUP BY created_by ORDER BY latest DESC LIMIT ?",
        settings::shown.get(host().settings())));
  }

  tenon::Response sign(const tenon::Request& request) {
    const auto text = tenon::required_member<std::string>(request.json(), "text");
    if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
      throw tenon::Error(422, "my-plugin.blank", "The entry is blank. Write a text.",
                         {{"text", "blank", "Write a text."}});
    }
    // The actor is the user of the request: the rules of the table apply, and the user is the
    // author.
    const tenon::Table<Entries> entries(database(), tenon::Actor(request));
    const auto saved = entries.insert({.text = text});
    request.log().info("signed", {{"entry", saved.id.text()}});
    return tenon::Response::json(to_json(saved.record.value()), 201);
  }
};

}  // namespace my_plugin

TENON_PLUGIN(my_plugin::MyPlugin)

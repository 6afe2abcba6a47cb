#include <string>
#include <utility>

#include <tenon/plugin.hpp>

#include "my_plugin_tables.hpp"

namespace my_plugin {

using tables::Entries;
using tables::Entry;

tenon::Json to_json(const Entry& entry) {
  return {{"id", entry.id.text()},
          {"author", entry.author.text()},
          {"text", entry.text},
          {"created", tenon::rfc3339(entry.created)}};
}

class MyPlugin : public tenon::Plugin {
 public:
  explicit MyPlugin(tenon::Host& host) : Plugin(host) {
    constexpr tenon::Access use = tenon::access::permission("my-plugin.use");
    host.http().get("/guests", use, {.summary = "The newest entries"},
                    [this](const tenon::Request&) { return list(); });
    host.http().post("/guests", use, {.summary = "Signs the guest book"},
                     [this](const tenon::Request& request) { return sign(request); });
  }

 private:
  tenon::Response list() {
    const auto limit = host().settings().get<int>("limit", 50);
    const auto entries = tenon::Table<Entries>(database(), tenon::Who::plugin())
                             .all()
                             .order_by(-Entries::created, -Entries::id)
                             .limit(limit)
                             .list();
    tenon::Json items = tenon::Json::array();
    for (const Entry& entry : entries)
      items.push_back(to_json(entry));
    return tenon::Response::json({{"items", std::move(items)}});
  }

  tenon::Response sign(const tenon::Request& request) {
    const auto text = tenon::required_member<std::string>(request.json(), "text");
    if (text.empty() || text.size() > 1000) {
      throw tenon::Error(422, "my-plugin.invalid", "The entry is empty or too long.",
                         {{"text", "length", "1 to 1,000 bytes."}});
    }
    const auto entry = tenon::Table<Entries>(database(), tenon::Who::plugin())
                           .insert({.author = tenon::UserId(std::string(request.user_id())),
                                    .text = text,
                                    .created = tenon::now()});
    request.log().info("signed", {{"entry", entry.id.text()}});
    return tenon::Response::json(to_json(entry.record.value()), 201);
  }
};

}  // namespace my_plugin

TENON_PLUGIN(my_plugin::MyPlugin)

#include <string>

#include <tenon/plugin.hpp>

namespace my_plugin {

struct Entry {
  std::string id;
  std::string author;
  std::string text;
  std::string created;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Entry, id, author, text, created)

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
    const auto entries = database().all<Entry>(
        "SELECT id, author, text, created FROM entries ORDER BY created DESC, id DESC LIMIT ?",
        limit);
    return tenon::Response::json({{"items", entries}});
  }

  tenon::Response sign(const tenon::Request& request) {
    const auto text = tenon::required_member<std::string>(request.json(), "text");
    if (text.empty() || text.size() > 1000) {
      throw tenon::Error(422, "my-plugin.invalid", "The entry is empty or too long.",
                         {{"text", "length", "1 to 1,000 bytes."}});
    }
    const Entry entry{tenon::new_id(), std::string(request.user_id()), text, tenon::now_text()};
    database().exec("INSERT INTO entries (id, author, text, created) VALUES (?, ?, ?, ?)", entry.id,
                    entry.author, entry.text, entry.created);
    request.log().info("signed", {{"entry", entry.id}});
    return tenon::Response::json(entry, 201);
  }
};

}  // namespace my_plugin

TENON_PLUGIN(my_plugin::MyPlugin)

#include <string>

#include <tenon/plugin.hpp>

#include "links_settings.hpp"
#include "links_tables.hpp"

namespace links {

using tables::Links;

// The host provides routes to list, create, change and delete links at /api/links/links. This class
// adds the public route that visitors use, also at /s if an admin grants that path (plugin.json).
class LinksPlugin : public tenon::Plugin {
 public:
  explicit LinksPlugin(tenon::Host& host) : Plugin(host) {
    host.http().get("/go/{code}", tenon::access::everyone, {.summary = "Opens a short link"},
                    [this](const tenon::Request& request) { return go(request.param("code")); });
  }

 private:
  tenon::Response go(std::string_view code) {
    // A visitor has no permission, so the plugin reads as the system, without the rules.
    const tenon::Table<Links> all(database(), tenon::Actor::system());
    const auto link = all.where(Links::code == std::string(code)).first();
    if (!link || (link->expires && *link->expires < tenon::now())) return unknown();
    // One statement, so that no visit of two at the same time is lost.
    database().exec("UPDATE links SET visits = visits + 1 WHERE id = ?", link->id.text());
    return tenon::Response::redirect(link->url);
  }

  tenon::Response unknown() {
    const std::string fallback = settings::fallback.get(host().settings());
    if (!fallback.empty()) return tenon::Response::redirect(fallback);
    throw tenon::Error(404, "links.unknown", "There is no such link, or it has expired.");
  }
};

}  // namespace links

TENON_PLUGIN(links::LinksPlugin)

#include <tenon/plugin.hpp>

#include "http/routes.hpp"
#include "http/sweep.hpp"

namespace notes {
namespace {

class NotesPlugin : public tenon::Plugin {
 public:
  explicit NotesPlugin(tenon::Host& host) : Plugin(host) {
    http::add_list_routes(host);
    http::add_note_routes(host);
    http::add_trash_routes(host);
    http::add_revision_routes(host);
    http::add_notebook_routes(host);
    http::add_tag_routes(host);
    http::add_search_routes(host);
    http::add_import_routes(host);
    http::add_export_routes(host);
    http::add_attachment_routes(host);
    http::add_share_routes(host);
    // Releases files that a crash left between the end of a note and that of its files.
    host.jobs().on("release", [&host](const tenon::JobRun&) { http::release_gone(host); });
    host.jobs().schedule({.name = "release", .cron = "25 3 * * *", .kind = "release"});
  }
};

}  // namespace
}  // namespace notes

using notes::NotesPlugin;
TENON_PLUGIN(NotesPlugin)

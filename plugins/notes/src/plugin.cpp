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
  }

  void start() override { http::release_gone(host()); }
};

}  // namespace
}  // namespace notes

using notes::NotesPlugin;
TENON_PLUGIN(NotesPlugin)

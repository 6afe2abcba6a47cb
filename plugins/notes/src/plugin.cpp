#include <stop_token>

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

  // Beside the first requests: what a crash left may wait a moment, they need not.
  void start() override {
    sweep_ = host().thread("sweep", [this](const std::stop_token&) { http::release_gone(host()); });
  }

 private:
  tenon::Thread sweep_;
};

}  // namespace
}  // namespace notes

using notes::NotesPlugin;
TENON_PLUGIN(NotesPlugin)

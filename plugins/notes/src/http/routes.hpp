#pragma once

#include <tenon/host.hpp>
#include <tenon/request.hpp>

#include "store/access.hpp"

namespace notes::http {

/// The permission that all routes require.
inline constexpr tenon::Access use = tenon::access::permission("notes.use");

/// Returns the user of a request.
store::Reader reader_of(const tenon::Request& request);

/// Each registers the routes of one chapter of README.md. `host` outlives them.
void add_note_routes(tenon::Host& host);
void add_list_routes(tenon::Host& host);
void add_trash_routes(tenon::Host& host);
void add_revision_routes(tenon::Host& host);
void add_notebook_routes(tenon::Host& host);
void add_tag_routes(tenon::Host& host);
void add_search_routes(tenon::Host& host);
void add_import_routes(tenon::Host& host);
void add_export_routes(tenon::Host& host);
void add_attachment_routes(tenon::Host& host);
void add_share_routes(tenon::Host& host);

}  // namespace notes::http

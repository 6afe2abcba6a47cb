#pragma once

#include <tenon/host.hpp>

namespace notes::http {

/// Releases the claims of attachments that are gone: after what may have deleted some, and once a
/// day for what a crash left.
void release_gone(tenon::Host& host);

}  // namespace notes::http

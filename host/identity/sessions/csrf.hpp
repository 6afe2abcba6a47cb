#pragma once

#include <string_view>

namespace tenon::identity {

/// The facts that the check uses; fields as sent, empty where missing.
struct RequestOrigin {
  std::string_view method = {};
  std::string_view sec_fetch_site = {};
  std::string_view origin = {};
  std::string_view host = {};
};

/// True when the request may act with the user's cookie: a safe method, or one that the browser
/// says comes from our own origin, or one that no browser sent. The algorithm of Go's net/http
/// CrossOriginProtection: Sec-Fetch-Site if there is one, else Origin against Host. Behind a proxy
/// Host must be passed on unchanged. Pure.
bool is_same_origin(const RequestOrigin& request) noexcept;

}  // namespace tenon::identity

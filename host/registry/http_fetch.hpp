#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "registry/fetch.hpp"

namespace tenon::plugins {

/// fetch_file() of a URL: GET over HTTP/1.1, with TLS 1.2 or newer for https, whose certificate
/// must be of this host and of an authority that the system trusts. Follows redirects, none of
/// which leads from https to http. No proxy, no cookies, no coding of the content.
void fetch_url(const std::string& url, std::uint64_t max_bytes, const FetchBounds& bounds,
               const std::function<void(std::string_view)>& sink);

}  // namespace tenon::plugins

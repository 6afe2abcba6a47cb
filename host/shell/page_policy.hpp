#pragma once

#include <string>
#include <string_view>

#include "http/response/response.hpp"

namespace tenon::shell {

/// The content policy of a page served under `host` (the Host field as sent): scripts come from
/// /ui/ only, apart from `more_scripts`, a source like "'sha256-…'", which may be empty.
std::string page_policy(std::string_view host, std::string_view more_scripts);

/// A page of ours, never kept by the browser, with the policy around it.
http::Response page_response(std::string body, std::string policy);

}  // namespace tenon::shell

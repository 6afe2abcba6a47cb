#include "packages/manifest/policy_headers.hpp"

#include <algorithm>
#include <array>

#include "http/parser/ascii.hpp"

namespace tenon::plugins {

namespace {

constexpr std::string_view sharing_headers = "access-control-";
constexpr std::string_view never_declarable = "service-worker-allowed";
constexpr std::array<std::string_view, 6> policies{"clear-site-data",
                                                   "content-security-policy",
                                                   "content-security-policy-report-only",
                                                   "cross-origin-embedder-policy",
                                                   "cross-origin-opener-policy",
                                                   "cross-origin-resource-policy"};

}  // namespace

bool is_declarable_header(std::string_view name) noexcept {
  return http::equals_ignoring_case(name.substr(0, sharing_headers.size()), sharing_headers) ||
         std::any_of(policies.begin(), policies.end(),
                     [name](auto field) { return http::equals_ignoring_case(name, field); });
}

bool is_policy_header(std::string_view name) noexcept {
  return is_declarable_header(name) || http::equals_ignoring_case(name, never_declarable);
}

}  // namespace tenon::plugins

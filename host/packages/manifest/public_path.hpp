#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace tenon::plugins {

/// A short path outside of /api that a plugin asks for. It is served once an admin grants it.
struct DeclaredPublicPath {
  std::string path;   ///< "/s": one or two segments
  std::string route;  ///< "/go": where its requests go, below "/api/<plugin>"
  std::string title;
};

/// First segments that no plugin may ask for: those of the host and of the shell, and names that
/// the host keeps for later.
inline constexpr std::array<std::string_view, 21> reserved_segments{
    "admin",    "api",     "app",     "assets",   "auth",    "core",  "dav",
    "docs",     "healthz", "login",   "logout",   "metrics", "oauth", "readyz",
    "settings", "setup",   "sign-in", "sign-out", "static",  "tenon", "ui"};

/// Returns whether no plugin may ask for a path with this first segment.
constexpr bool is_reserved_segment(std::string_view segment) noexcept {
  return std::find(reserved_segments.begin(), reserved_segments.end(), segment) !=
         reserved_segments.end();
}

/// Returns why `path` cannot be a public path, as the end of a sentence; empty: it can be.
std::string public_path_fault(std::string_view path);
/// Returns why `route` cannot be the route of a public path, as the end of a sentence; empty: it
/// can be.
std::string public_path_route_fault(std::string_view route);

/// Returns whether one of two public paths is the other one or lies below it.
bool do_overlap(std::string_view one, std::string_view other) noexcept;

}  // namespace tenon::plugins

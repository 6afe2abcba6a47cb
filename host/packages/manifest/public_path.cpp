#include "packages/manifest/public_path.hpp"

#include <cstddef>

namespace tenon::plugins {

namespace {

constexpr std::size_t max_path_segments = 2;
constexpr std::size_t max_route_segments = 8;
constexpr std::size_t max_segment_bytes = 64;

bool is_lower_or_digit(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

// Returns whether it is 1 to `max_segments` segments of a-z, 0-9 and `others`, each after a "/".
bool has_segments(std::string_view path, std::size_t max_segments, std::string_view others) {
  std::size_t segments = 0;
  while (!path.empty()) {
    if (path.front() != '/' || ++segments > max_segments) return false;
    path.remove_prefix(1);
    const std::string_view segment = path.substr(0, path.find('/'));
    const bool is_sound = !segment.empty() && segment.size() <= max_segment_bytes &&
                          segment != "." && segment != ".." &&
                          std::all_of(segment.begin(), segment.end(), [others](char c) {
                            return is_lower_or_digit(c) || others.find(c) != std::string_view::npos;
                          });
    if (!is_sound) return false;
    path.remove_prefix(segment.size());
  }
  return segments > 0;
}

}  // namespace

std::string public_path_fault(std::string_view path) {
  if (!has_segments(path, max_path_segments, "_-"))
    return "must be one or two segments of 1 to 64 of a-z, 0-9, _ and -, such as \"/s\"";
  const std::string_view first = path.substr(1, path.find('/', 1) - 1);
  if (is_reserved_segment(first))
    return "begins with \"/" + std::string(first) + "\", which the host keeps for itself";
  return {};
}

std::string public_path_route_fault(std::string_view route) {
  if (has_segments(route, max_route_segments, "._-")) return {};
  return "must be one to eight segments of 1 to 64 of a-z, 0-9, ., _ and -, such as \"/go\"";
}

bool do_overlap(std::string_view one, std::string_view other) noexcept {
  const std::string_view shorter = one.size() < other.size() ? one : other;
  const std::string_view longer = one.size() < other.size() ? other : one;
  return longer.starts_with(shorter) &&
         (longer.size() == shorter.size() || longer[shorter.size()] == '/');
}

}  // namespace tenon::plugins

#include "http/response/content_types.hpp"

#include <array>
#include <cstddef>
#include <utility>

#include "http/parser/ascii.hpp"

namespace tenon::http {

namespace {
constexpr std::array<std::pair<std::string_view, std::string_view>, 31> types{{
    {"avif", "image/avif"},
    {"css", "text/css; charset=utf-8"},
    {"csv", "text/csv; charset=utf-8"},
    {"gif", "image/gif"},
    {"htm", "text/html; charset=utf-8"},
    {"html", "text/html; charset=utf-8"},
    {"ico", "image/vnd.microsoft.icon"},
    {"ics", "text/calendar; charset=utf-8"},
    {"jpeg", "image/jpeg"},
    {"jpg", "image/jpeg"},
    {"js", "text/javascript; charset=utf-8"},
    {"json", "application/json"},
    {"map", "application/json"},
    {"md", "text/markdown; charset=utf-8"},
    {"mjs", "text/javascript; charset=utf-8"},
    {"mp3", "audio/mpeg"},
    {"mp4", "video/mp4"},
    {"pdf", "application/pdf"},
    {"png", "image/png"},
    {"svg", "image/svg+xml"},
    {"ttf", "font/ttf"},
    {"txt", "text/plain; charset=utf-8"},
    {"vcf", "text/vcard; charset=utf-8"},
    {"wasm", "application/wasm"},
    {"webm", "video/webm"},
    {"webmanifest", "application/manifest+json"},
    {"webp", "image/webp"},
    {"woff", "font/woff"},
    {"woff2", "font/woff2"},
    {"xml", "application/xml"},
    {"zip", "application/zip"},
}};
}  // namespace

std::string_view content_type_of(std::string_view file_name) noexcept {
  const std::size_t dot = file_name.rfind('.');
  if (dot != std::string_view::npos) {
    for (const auto& [extension, type] : types) {
      if (equals_ignoring_case(file_name.substr(dot + 1), extension)) return type;
    }
  }
  return "application/octet-stream";
}

}  // namespace tenon::http

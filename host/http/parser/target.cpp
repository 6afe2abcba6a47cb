#include "http/parser/target.hpp"

#include <algorithm>

#include "base/utf8.hpp"
#include "http/parser/ascii.hpp"
#include "http/parser/head_parser.hpp"
#include "http/parser/text_scan.hpp"

namespace tenon::http {

namespace {

constexpr Refusal bad_target{400, "http.bad_target", "The request target is not a valid path."};
constexpr Refusal bad_path{400, "http.bad_path",
                           "The path holds an encoding or a segment that is not allowed."};
constexpr Refusal no_tunnel{501, "http.method_not_supported", "This server opens no tunnels."};

bool has_dot_segment(std::string_view path) noexcept {
  for (std::size_t at = path.find("/."); at != std::string_view::npos;
       at = path.find("/.", at + 1)) {
    const std::string_view rest = path.substr(at + 2);
    if (rest.empty() || rest[0] == '/') return true;
    if (rest[0] == '.' && (rest.size() == 1 || rest[1] == '/')) return true;
  }
  return false;
}

// RFC 3986, section 2.1. An encoded slash would change the segments, a control character the lines
// of a log.
bool decode(std::string_view path, std::string& out) {
  out.clear();
  bool is_ascii = true;
  while (!path.empty()) {
    const std::size_t plain = std::min(path.find('%'), path.size());
    out.append(path.substr(0, plain));
    path.remove_prefix(plain);
    if (path.empty()) break;
    const int byte = escaped_byte(path, 0);
    if (byte < 0x20 || byte == 0x7F || byte == '/') return false;
    if (byte >= 0x80) is_ascii = false;
    out += static_cast<char>(byte);
    path.remove_prefix(3);
  }
  return is_ascii || base::is_valid_utf8(out);
}

}  // namespace

const Refusal* read_target(std::string_view method, std::string_view target, std::string& decoded,
                           Target& out) {
  out = Target();
  if (is_text(method, "CONNECT")) return &no_tunnel;
  std::size_t plain = find_other<plain_path_character>(target, 0);
  const std::size_t rest = std::min(plain + 1, target.size());
  if (find_other<target_character>(target, rest) != target.size() ||
      (plain < target.size() && !is_in(target[plain], target_character)))
    return &bad_target;
  if (target == "*") {
    if (method != "OPTIONS") return &bad_target;
    out.origin = out.path = target;
    return nullptr;
  }
  if (!target.starts_with('/')) {
    const std::size_t scheme = target.starts_with("http://")    ? 7
                               : target.starts_with("https://") ? 8
                                                                : 0;
    if (scheme == 0) return &bad_target;
    target.remove_prefix(scheme);
    const std::size_t end = target.find_first_of("/?");
    out.authority = target.substr(0, end);
    if (!is_valid_host(out.authority)) return &bad_target;
    target = end == std::string_view::npos ? std::string_view("/") : target.substr(end);
    if (!target.starts_with('/')) return &bad_target;
    plain = find_other<plain_path_character>(target, 0);
  }
  out.origin = target;
  const std::size_t question = std::min(target.find('?', plain), target.size());
  out.path = target.substr(0, question);
  if (question < target.size()) out.query = target.substr(question + 1);
  const bool is_special = plain < question;
  if (is_special && out.path.find('%', plain) != std::string_view::npos) {
    if (!decode(out.path, decoded)) return &bad_path;
    out.path = decoded;
  }
  // As a reference, in a Location say, "//name" would be another server.
  const bool is_authority = out.path.starts_with("//");
  return is_authority || (is_special && has_dot_segment(out.path)) ? &bad_path : nullptr;
}

}  // namespace tenon::http

// The head of a request: HeadScanner as bytes arrive, then parse_head, and HeaderCache compared
// with them.

#include <algorithm>

#include "beast_head.hpp"
#include "http/limits.hpp"
#include "http/parser/ascii.hpp"
#include "http/parser/head_parser.hpp"
#include "http/parser/header_cache.hpp"
#include "http/parser/target.hpp"
#include "property.hpp"

namespace {

using namespace tenon::http;
using Scan = HeadScanner::Result;

Limits small_limits() {
  Limits limits;
  limits.target = 200;
  limits.head = 1500;
  limits.fields = 12;
  return limits;
}

bool is_text(std::string_view value) {
  return std::none_of(value.begin(), value.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\t') || byte == 0x7F;
  });
}

bool is_token(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return c > 0x20 && c < 0x7F &&
           std::string_view("\"(),/:;<=>?@[\\]{}").find(c) == std::string_view::npos;
  });
}

std::size_t count(const std::vector<Field>& fields, std::string_view name) {
  return static_cast<std::size_t>(std::count_if(
      fields.begin(), fields.end(), [name](const Field& field) { return field.name == name; }));
}

// The fields as the simplest reader there is would find them; any difference could hide a request.
void compare_with_lines(std::string_view bytes, const std::vector<Field>& fields) {
  std::size_t at = bytes.find("\r\n") + 2;
  for (const Field& field : fields) {
    const std::size_t end = bytes.find("\r\n", at);
    const std::string_view line = bytes.substr(at, end - at);
    const std::size_t colon = line.find(':');
    TENON_HOLDS(colon != std::string_view::npos);
    TENON_HOLDS(equals_ignoring_case(line.substr(0, colon), field.name));
    TENON_HOLDS(trimmed(line.substr(colon + 1)) == field.value);
    at = end + 2;
  }
  TENON_HOLDS(at + 2 == bytes.size());
}

void check_head(const Head& head, const std::vector<Field>& fields, const Limits& limits) {
  TENON_HOLDS(is_token(head.method));
  TENON_HOLDS(!head.target.empty() && head.target.size() <= limits.target);
  TENON_HOLDS(is_text(head.target) && head.target.find(' ') == std::string_view::npos);
  TENON_HOLDS(fields.size() <= limits.fields);
  for (const Field& field : fields) {
    TENON_HOLDS(is_token(field.name) && is_text(field.value));
    TENON_HOLDS(std::none_of(field.name.begin(), field.name.end(),
                             [](char c) { return c >= 'A' && c <= 'Z'; }));
  }
  const std::size_t lengths = count(fields, "content-length");
  const std::size_t codings = count(fields, "transfer-encoding");
  TENON_HOLDS(lengths + codings <= 1);
  TENON_HOLDS(head.is_chunked == (codings == 1) && (!head.is_chunked || head.is_http11));
  TENON_HOLDS(head.content_length == 0 || lengths == 1);
  TENON_HOLDS(count(fields, "host") <= 1 && (!head.is_http11 || count(fields, "host") == 1));
  TENON_HOLDS(head.host.empty() || is_valid_host(head.host));
  TENON_HOLDS(!head.expects_continue || head.is_http11);
}

std::string write(const Head& head, const std::vector<Field>& fields) {
  std::string text(head.method);
  text.append(" ").append(head.target).append(head.is_http11 ? " HTTP/1.1\r\n" : " HTTP/1.0\r\n");
  for (const Field& field : fields)
    text.append(field.name).append(":").append(field.value).append("\r\n");
  return text + "\r\n";
}

void check_reparse(const Head& head, const std::vector<Field>& fields, const Limits& limits) {
  std::string text = write(head, fields);
  std::vector<Field> again_fields;
  Head again;
  TENON_HOLDS(parse_head(text, limits, again_fields, again) == nullptr);
  TENON_HOLDS(write(again, again_fields) == write(head, fields));
  TENON_HOLDS(again.content_length == head.content_length && again.is_chunked == head.is_chunked &&
              again.keep_alive == head.keep_alive && again.host == head.host &&
              again.expects_continue == head.expects_continue);
}

// Beast accepts every head that we accept, and reads it as the same message.
void compare_with_beast(std::string_view bytes, const Head& head,
                        const std::vector<Field>& fields) {
  std::string path;
  Target target;
  if (read_target(head.method, head.target, path, target) != nullptr) return;
  // Beast reads Proxy-Connection as Connection; RFC 9110, section 7.6.1, does not know it.
  if (count(fields, "proxy-connection") != 0) return;
  const auto other = tenon::fuzz::beast_head(bytes);
  TENON_HOLDS(other.has_value());
  TENON_HOLDS(other->method == head.method && other->target == head.target);
  TENON_HOLDS(other->version == (head.is_http11 ? 11 : 10));
  TENON_HOLDS(other->is_chunked == head.is_chunked);
  TENON_HOLDS(other->content_length == head.content_length);
  TENON_HOLDS(!head.keep_alive || other->keep_alive);
  TENON_HOLDS(other->fields.size() == fields.size());
  for (std::size_t i = 0; i < fields.size(); ++i) {
    TENON_HOLDS(equals_ignoring_case(other->fields[i].first, fields[i].name));
    TENON_HOLDS(other->fields[i].second == fields[i].value);
  }
}

// A head that comes a third time is known, and a changed one that is taken for a known one is taken
// by the parser, too, with the same result.
void compare_with_memory(std::string_view bytes, std::size_t at, char byte, const Limits& limits) {
  HeaderCache memory(42);
  std::string text;
  std::vector<Field> fields;
  Head head;
  for (int i = 0; i < 2; ++i) {
    text = bytes;
    TENON_HOLDS(parse_head(text, limits, fields, head) == nullptr);
    memory.put(bytes, text, fields, head);
  }
  std::string changed(bytes);
  changed[at % changed.size()] = byte;
  for (const std::string_view other : {bytes, std::string_view(changed)}) {
    const HeaderCache::CachedHead found = memory.find(other, limits);
    if (!found) continue;
    std::string known_text;
    std::vector<Field> known_fields;
    Head known;
    HeaderCache::get(found, other, known_text, known_fields, known);
    HeadScanner scanner;
    TENON_HOLDS(scanner.scan(other, limits) == Scan::complete && scanner.size() == other.size());
    text = other;
    TENON_HOLDS(parse_head(text, limits, fields, head) == nullptr);
    TENON_HOLDS(known_text == text && write(known, known_fields) == write(head, fields));
    TENON_HOLDS(known.content_length == head.content_length && known.host == head.host);
    TENON_HOLDS(known.is_chunked == head.is_chunked && known.keep_alive == head.keep_alive);
    TENON_HOLDS(known.expects_continue == head.expects_continue);
    TENON_HOLDS(known.name_lengths == head.name_lengths);
    if (!found.has_plain_path()) continue;
    std::string path;
    Target target;
    TENON_HOLDS(read_target(known.method, known.target, path, target) == nullptr);
    TENON_HOLDS(target.path == known.target && target.origin == known.target);
    TENON_HOLDS(target.query.empty() && target.authority.empty());
    TENON_HOLDS(found.method() == parse_method(known.method));
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = tenon::fuzz::text_of(data, size);
  const Limits limits = small_limits();
  HeadScanner whole;
  const Scan scanned = whole.scan(text, limits);

  HeadScanner slow;
  Scan slow_scanned = Scan::more;
  std::size_t at = 0;
  while (at < size && slow_scanned == Scan::more)
    slow_scanned = slow.scan(text.substr(0, ++at), limits);
  TENON_HOLDS(slow_scanned == scanned);
  if (scanned == Scan::refused) TENON_HOLDS(at <= limits.head + 1);
  if (scanned != Scan::complete) return 0;
  TENON_HOLDS(slow.size() == whole.size() && at == whole.size());
  TENON_HOLDS(whole.size() <= limits.head);

  std::vector<char> head_bytes(text.begin(),
                               text.begin() + static_cast<std::ptrdiff_t>(whole.size()));
  std::vector<Field> fields;
  Head head;
  if (parse_head(head_bytes, limits, fields, head) != nullptr) return 0;
  check_head(head, fields, limits);
  compare_with_lines(text.substr(0, whole.size()), fields);
  check_reparse(head, fields, limits);
  compare_with_beast(text.substr(0, whole.size()), head, fields);
  // The bytes after the head say which byte is changed, and to what.
  const std::string_view rest = text.substr(whole.size());
  const std::size_t position = rest.size() < 3
                                   ? 0
                                   : static_cast<unsigned char>(rest[0]) * std::size_t{256} +
                                         static_cast<unsigned char>(rest[1]);
  compare_with_memory(text.substr(0, whole.size()), position, rest.size() < 3 ? 'A' : rest[2],
                      limits);
  return 0;
}

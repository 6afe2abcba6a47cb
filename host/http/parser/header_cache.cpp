#include "http/parser/header_cache.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "http/parser/ascii.hpp"
#include "http/parser/text_scan.hpp"

namespace tenon::http {

namespace {

constexpr std::string_view version_end = " HTTP/1.1\r\n";
constexpr std::size_t tail_end_size = 4;  // the last line's end and the empty line
constexpr std::size_t min_bytes = tail_end_size + sizeof(std::uint64_t);
constexpr std::size_t min_line_bytes = version_end.size() + sizeof(std::uint64_t);

// Fields whose values are no secret; among them all that parse_head() understands, but those that
// it only counts.
constexpr std::array<std::string_view, 23> listed{"accept",
                                                  "accept-encoding",
                                                  "accept-language",
                                                  "cache-control",
                                                  "connection",
                                                  "content-length",
                                                  "content-type",
                                                  "dnt",
                                                  "expect",
                                                  "host",
                                                  "origin",
                                                  "pragma",
                                                  "priority",
                                                  "sec-ch-ua",
                                                  "sec-ch-ua-mobile",
                                                  "sec-ch-ua-platform",
                                                  "sec-fetch-dest",
                                                  "sec-fetch-mode",
                                                  "sec-fetch-site",
                                                  "te",
                                                  "transfer-encoding",
                                                  "upgrade-insecure-requests",
                                                  "user-agent"};

bool is_listed(std::string_view name) noexcept {
  return std::find(listed.begin(), listed.end(), name) != listed.end();
}

std::uint64_t word_at(const char* at) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  return word;
}

std::uint64_t mix(std::uint64_t hash, std::uint64_t word) noexcept {
  const std::uint64_t product = (hash ^ word) * 0x9E3779B97F4A7C15;
  return product ^ (product >> 32);
}

}  // namespace

struct HeaderCache::Tail {
  // Places in the text; it is short.
  struct Span {
    std::uint16_t at = 0;
    std::uint16_t size = 0;
    std::size_t end() const noexcept { return std::size_t{at} + size; }
  };
  struct FieldSpan {
    Span name;
    Span value;
  };

  std::unique_ptr<char[]> text;  // as it came, then the same with names in lower case
  std::uint16_t size = 0;
  std::uint16_t field_count = 0;
  std::uint16_t unlisted_count = 0;
  Span host;
  std::array<Span, max_unlisted> unlisted;  // values, in order; none is empty
  Head head;                                // without its views
  std::array<FieldSpan, max_fields> fields;

  const char* lowered() const noexcept { return text.get() + size; }

  bool fits(std::string_view bytes) const noexcept {
    if (bytes.size() != size) return false;
    std::size_t at = 0;
    for (std::size_t i = 0; i < unlisted_count; ++i) {
      const Span value = unlisted[i];
      if (std::memcmp(bytes.data() + at, text.get() + at, value.at - at) != 0) return false;
      const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
      if (is_blank(bytes[value.at]) || is_blank(bytes[value.end() - 1])) return false;
      if (find_other<value_character>(bytes, value.at) < value.end()) return false;
      at = value.end();
    }
    return std::memcmp(bytes.data() + at, text.get() + at, size - at) == 0;
  }
};

HeaderCache::HeaderCache(std::uint64_t seed) noexcept : seed_(seed) {}

HeaderCache::~HeaderCache() = default;

// Hashes a few bytes of a text that ends with `end_size` bytes as all others do. Candidates with
// the same hash are compared.
std::uint64_t HeaderCache::hash_of(std::string_view text, std::size_t end_size) const noexcept {
  const std::size_t last = text.size() - end_size - sizeof(std::uint64_t);
  std::uint64_t hash = mix(seed_, text.size());
  hash = mix(hash, word_at(text.data()));
  hash = mix(hash, word_at(text.data() + last / 2));
  return mix(hash, word_at(text.data() + last));
}

HeaderCache::CachedHead HeaderCache::find(std::string_view bytes,
                                          const Limits& limits) const noexcept {
  CachedHead found;
  const std::size_t newline = find_newline(bytes, 0);
  const std::size_t line_size = newline + 1;
  // The bounds are HeadScanner's: what is beyond them it may refuse.
  if (line_size + min_bytes > bytes.size() || line_size > limits.target ||
      bytes.size() > limits.head || line_size < version_end.size() + 3)
    return found;
  const std::string_view tail = bytes.substr(line_size);
  const Slot& slot = slots_[hash_of(tail, tail_end_size) % heads];
  if (slot.tail == nullptr || !slot.tail->fits(tail)) return found;
  if (line_size >= min_line_bytes && line_size <= max_line_bytes) {
    const Line& line = lines_[hash_of(bytes.substr(0, line_size), version_end.size()) % lines];
    if (line.size == line_size && std::memcmp(line.text.data(), bytes.data(), line_size) == 0) {
      found.tail_ = slot.tail.get();
      found.method_ = line.method;
      found.method_size_ = line.method_size;
      found.line_size_ = static_cast<std::uint32_t>(line_size);
      return found;
    }
  }
  const std::size_t line_end = line_size - version_end.size();
  if (std::memcmp(bytes.data() + line_end, version_end.data(), version_end.size()) != 0)
    return found;
  const std::size_t method_size = find_other<token_character>(bytes, 0);
  if (method_size == 0 || method_size + 1 >= line_end || bytes[method_size] != ' ' ||
      find_other<visible_character>(bytes, method_size + 1) != line_end)
    return found;
  found.tail_ = slot.tail.get();
  found.method_size_ = static_cast<std::uint32_t>(method_size);
  found.line_size_ = static_cast<std::uint32_t>(line_size);
  return found;
}

void HeaderCache::get(const CachedHead& found, std::string_view bytes, std::string& text,
                      std::vector<Field>& fields, Head& head) {
  const Tail& tail = *found.tail_;
  text.assign(bytes);
  char* const line = text.data();
  char* const begin = line + found.line_size_;
  std::memcpy(begin, tail.lowered(), tail.size);
  for (std::size_t i = 0; i < tail.unlisted_count; ++i) {
    const Tail::Span value = tail.unlisted[i];
    std::memcpy(begin + value.at, bytes.data() + found.line_size_ + value.at, value.size);
  }
  const auto view = [begin](Tail::Span span) {
    return std::string_view(begin + span.at, span.size);
  };
  fields.resize(tail.field_count);
  for (std::size_t i = 0; i < tail.field_count; ++i)
    fields[i] = {view(tail.fields[i].name), view(tail.fields[i].value)};
  head = tail.head;
  head.method = {line, found.method_size_};
  head.target = {line + found.method_size_ + 1,
                 found.line_size_ - version_end.size() - found.method_size_ - 1};
  head.host = view(tail.host);
}

void HeaderCache::put(std::string_view bytes, std::string_view text, std::span<const Field> fields,
                      const Head& head) noexcept try {
  put_line(head);
  if (!head.is_http11 || fields.size() > max_fields) return;
  const std::size_t line_size = static_cast<std::size_t>(head.target.data() - text.data()) +
                                head.target.size() + version_end.size();
  const std::string_view raw = bytes.substr(line_size);
  if (raw.size() < min_bytes || raw.size() > max_bytes) return;
  const std::uint64_t hash = hash_of(raw, tail_end_size);
  Slot& slot = slots_[hash % heads];
  const auto candidate = static_cast<std::uint32_t>(hash >> 32);
  if (std::exchange(slot.candidate, candidate) != candidate) return;
  const auto span_of = [&](std::string_view view) {
    const auto at = static_cast<std::size_t>(view.data() - text.data()) - line_size;
    return Tail::Span{static_cast<std::uint16_t>(at), static_cast<std::uint16_t>(view.size())};
  };
  auto tail = std::make_unique<Tail>();
  tail->text.reset(new char[2 * raw.size()]);
  tail->size = static_cast<std::uint16_t>(raw.size());
  raw.copy(tail->text.get(), raw.size());
  text.copy(tail->text.get() + raw.size(), raw.size(), line_size);
  for (const Field& field : fields) {
    const Tail::FieldSpan spans{span_of(field.name), span_of(field.value)};
    tail->fields[tail->field_count++] = spans;
    if (field.value.empty() || is_listed(field.name)) continue;
    if (tail->unlisted_count == max_unlisted) return;
    tail->unlisted[tail->unlisted_count++] = spans.value;
    std::memset(tail->text.get() + spans.value.at, 0, spans.value.size);
    std::memset(tail->text.get() + raw.size() + spans.value.at, 0, spans.value.size);
  }
  tail->host = span_of(head.host);
  tail->head = head;
  tail->head.method = tail->head.target = tail->head.host = {};
  slot.tail = std::move(tail);
} catch (const std::bad_alloc&) {
  // It is parsed each time.
}

void HeaderCache::put_line(const Head& head) noexcept {
  const Method method = parse_method(head.method);
  const std::string_view path = head.target;
  const std::size_t size = head.method.size() + 1 + path.size() + version_end.size();
  if (!head.is_http11 || method == Method::other || size < min_line_bytes ||
      size > max_line_bytes || !path.starts_with('/') || path.starts_with("//") ||
      find_other<plain_path_character>(path, 0) != path.size())
    return;
  // The bytes are as they came: nothing of a request line is changed.
  const std::string_view text(head.method.data(), size);
  const std::uint64_t hash = hash_of(text, version_end.size());
  Line& line = lines_[hash % lines];
  const auto candidate = static_cast<std::uint32_t>(hash >> 32);
  if (std::exchange(line.candidate, candidate) != candidate) return;
  text.copy(line.text.data(), size);
  line.size = static_cast<std::uint8_t>(size);
  line.method_size = static_cast<std::uint8_t>(head.method.size());
  line.method = method;
}

}  // namespace tenon::http

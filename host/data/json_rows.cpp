#include "data/json_rows.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "data/json_values.hpp"
#include "data/sql_error.hpp"

namespace tenon::data {

namespace {

constexpr std::string_view boolean_suffix = ":boolean";
constexpr std::string_view json_suffix = ":json";
constexpr std::string_view key_suffix = ":key";
constexpr std::string_view flag_suffix = ":flag";
constexpr std::size_t min_text = 4096;

}  // namespace

void put_base64(JsonText& text, std::string_view bytes) {
  static constexpr char letters[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  char* at = text.reserve((bytes.size() + 2) / 3 * 4 + 2);
  *at++ = '"';
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [&](std::size_t index) -> unsigned {
      return index < bytes.size() ? static_cast<unsigned char>(bytes[index]) : 0U;
    };
    const unsigned group = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    *at++ = letters[group >> 18];
    *at++ = letters[group >> 12 & 63];
    *at++ = i + 1 < bytes.size() ? letters[group >> 6 & 63] : '=';
    *at++ = i + 2 < bytes.size() ? letters[group & 63] : '=';
  }
  *at++ = '"';
  text.end(at);
}

void put_json(JsonText& text, std::string_view value, std::string_view key) {
  try {
    base::check_json(value, {.max_bytes = max_json_bytes});
  } catch (const base::Error& error) {
    throw SqlError(500, "data.sql", "The database refused a statement.", 0,
                   "the member " + std::string(key) + " is no JSON: " + error.message());
  }
  text.put(value);
}

void throw_json_too_large() {
  throw SqlError(413, "data.too_large", "The records exceed the size of one response.", 0,
                 "the JSON text of the rows is longer than 16 MiB");
}

void JsonText::clear(std::size_t keep) noexcept {
  size_ = 0;
  if (capacity_ <= keep) return;
  bytes_.reset();
  capacity_ = 0;
}

void JsonText::grow(std::size_t bytes) {
  const std::size_t capacity = std::max({size_ + bytes, 2 * capacity_, min_text});
  std::unique_ptr<char[]> larger(new char[capacity]);
  if (size_ != 0) std::memcpy(larger.get(), bytes_.get(), size_);
  bytes_ = std::move(larger);
  capacity_ = capacity;
}

void JsonMembers::add(std::string_view name) {
  Member member{list.empty() ? "{" : ",", JsonKind::value};
  if (name.ends_with(boolean_suffix)) {
    member.kind = JsonKind::boolean;
    name.remove_suffix(boolean_suffix.size());
  } else if (name.ends_with(json_suffix)) {
    member.kind = JsonKind::json;
    name.remove_suffix(json_suffix.size());
  }
  if (name.ends_with(key_suffix)) {
    const bool has_key = std::any_of(list.begin(), list.end(),
                                     [](const Member& one) { return one.kind == JsonKind::key; });
    member = {has_key ? "," : "[", JsonKind::key};
  } else if (name.ends_with(flag_suffix)) {
    member = {"", JsonKind::flag};
  } else {
    base::append_json_string(member.key, name);
    member.key += ':';
  }
  list.push_back(std::move(member));
}

}  // namespace tenon::data

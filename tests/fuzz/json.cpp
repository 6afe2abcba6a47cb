// The strict check of JSON bodies, beside the reader of another library. The first line is the
// greatest depth.

#include "base/json.hpp"

#include <algorithm>
#include <charconv>
#include <set>

#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/json_writer.hpp"
#include "property.hpp"

namespace {

using tenon::base::Error;
using Json = nlohmann::json;

// What the other reader says; it knows neither depth nor repeated keys, so these are counted here.
class Observer final : public nlohmann::json_sax<Json> {
 public:
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t& text) override { return see(text); }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override {
    keys_.emplace_back();
    return enter();
  }
  bool key(string_t& name) override {
    if (!keys_.back().insert(name).second) has_repeated_key = true;
    return see(name);
  }
  bool end_object() override {
    keys_.pop_back();
    return leave();
  }
  bool start_array(std::size_t) override { return enter(); }
  bool end_array() override { return leave(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& e) override {
    is_out_of_range = e.id == 406;
    return false;
  }

  int deepest = 0;
  bool has_repeated_key = false;
  bool has_null_character = false;
  bool is_out_of_range = false;

 private:
  bool see(const std::string& text) {
    if (text.find('\0') != std::string::npos) has_null_character = true;
    return true;
  }
  bool enter() {
    deepest = std::max(deepest, ++depth_);
    return true;
  }
  bool leave() {
    --depth_;
    return true;
  }

  std::vector<std::set<std::string>> keys_;
  int depth_ = 0;
};

bool is_taken(std::string_view text, const tenon::base::JsonLimits& limits) {
  try {
    tenon::base::check_json(text, limits);
  } catch (const Error& error) {
    TENON_HOLDS(error.status() == 413 ? text.size() > limits.max_bytes : error.status() == 400);
    TENON_HOLDS(!error.message().empty());
    return false;
  }
  return true;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text = tenon::fuzz::text_of(data, size);
  const std::string_view depth = tenon::fuzz::take_line(text);
  tenon::base::JsonLimits limits;
  limits.max_bytes = 4000;
  std::from_chars(depth.data(), depth.data() + depth.size(), limits.max_depth);
  limits.max_depth = std::clamp(limits.max_depth, 1, 64);

  const bool taken = is_taken(text, limits);
  Observer other;
  const bool is_json = Json::sax_parse(text.begin(), text.end(), &other);
  const bool has_mark = text.starts_with("\xEF\xBB\xBF");  // the other reader passes over it
  if (taken) {
    TENON_HOLDS(is_json && !has_mark && other.deepest <= limits.max_depth);
    TENON_HOLDS(!other.has_repeated_key && !other.has_null_character);
    TENON_HOLDS(text.size() <= limits.max_bytes);
  } else {
    TENON_HOLDS(!is_json || has_mark || other.deepest > limits.max_depth ||
                other.has_repeated_key || other.has_null_character ||
                text.size() > limits.max_bytes);
  }

  bool is_object = true;
  try {
    tenon::base::parse_json_object(text, limits);
  } catch (const Error&) {
    is_object = false;
  }
  TENON_HOLDS(!is_object || taken);

  // Whatever a text is, the writer makes a JSON string of it.
  std::string written;
  tenon::base::append_json_string(written, text.substr(0, 500));
  const Json read = Json::parse(written);
  TENON_HOLDS(read.is_string() && written.find('<') == std::string::npos);
  return 0;
}

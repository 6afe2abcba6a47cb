// The strict check of JSON bodies, compared with the reader of another library. The first line is
// the greatest depth.

#include "base/json.hpp"

#include <algorithm>
#include <charconv>
#include <set>

#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/json_slice.hpp"
#include "base/json_writer.hpp"
#include "property.hpp"

namespace {

using tenon::base::Error;
using Json = nlohmann::json;

// The result of the other reader. It checks neither depth nor repeated keys, so these are counted
// here.
class Observer final : public nlohmann::json_sax<Json> {
 public:
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t& text) override {
    if (text.find_first_of(".eE") == std::string::npos) has_large_integer = true;
    return true;
  }
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
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

  int deepest = 0;
  bool has_repeated_key = false;
  bool has_null_character = false;
  bool has_large_integer = false;

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

// The same values, to the last bit of a number.
void compare(const Poco::Dynamic::Var& ours, const Json& other) {
  if (other.is_null()) {
    TENON_HOLDS(ours.isEmpty());
  } else if (other.is_boolean()) {
    TENON_HOLDS(ours.isBoolean() && ours.extract<bool>() == other.get<bool>());
  } else if (other.is_string()) {
    TENON_HOLDS(ours.isString() && ours.extract<std::string>() == other.get<std::string>());
  } else if (other.is_number_unsigned()) {
    TENON_HOLDS(ours.isInteger() && ours.convert<std::uint64_t>() == other.get<std::uint64_t>());
  } else if (other.is_number_integer()) {
    TENON_HOLDS(ours.isInteger() && ours.convert<std::int64_t>() == other.get<std::int64_t>());
  } else if (other.is_number_float()) {
    TENON_HOLDS(ours.isNumeric() && !ours.isInteger() &&
                ours.convert<double>() == other.get<double>());
  } else if (other.is_array()) {
    const auto array = ours.extract<Poco::JSON::Array::Ptr>();
    TENON_HOLDS(array->size() == other.size());
    for (unsigned i = 0; i < array->size(); ++i)
      compare(array->get(i), other[i]);
  } else {
    const auto object = ours.extract<Poco::JSON::Object::Ptr>();
    TENON_HOLDS(object->size() == other.size());
    for (const auto& [key, value] : other.items()) {
      TENON_HOLDS(object->has(key));
      compare(object->get(key), value);
    }
  }
}

void compare(const tenon::base::JsonSlice& ours, const Json& other) {
  using tenon::base::JsonSlice;
  using tenon::base::JsonType;
  if (other.is_null()) {
    TENON_HOLDS(ours.is_null());
  } else if (other.is_boolean()) {
    TENON_HOLDS(ours.type() == JsonType::boolean && ours.boolean() == other.get<bool>());
  } else if (other.is_string()) {
    TENON_HOLDS(ours.type() == JsonType::string && ours.string() == other.get<std::string>());
  } else if (other.is_number()) {
    TENON_HOLDS(ours.type() == JsonType::number && ours.number() == other.get<double>());
    if (other.is_number_integer() && !other.is_number_unsigned())
      TENON_HOLDS(ours.integer() == other.get<std::int64_t>());
  } else if (other.is_array()) {
    TENON_HOLDS(ours.type() == JsonType::array);
    std::size_t index = 0;
    ours.each_element([&](const JsonSlice& value) {
      TENON_HOLDS(index < other.size());
      compare(value, other[index++]);
    });
    TENON_HOLDS(index == other.size());
  } else {
    TENON_HOLDS(ours.type() == JsonType::object);
    std::size_t count = 0;
    ours.each_member([&](const std::string& name, const JsonSlice& value) {
      TENON_HOLDS(other.contains(name));
      compare(value, other[name]);
      ++count;
    });
    TENON_HOLDS(count == other.size());
  }
}

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
  // The other reader passes over the mark and stops at a NUL.
  const bool is_odd = text.starts_with("\xEF\xBB\xBF") || text.find('\0') != std::string_view::npos;
  if (taken) {
    TENON_HOLDS(is_json && !is_odd && other.deepest <= limits.max_depth);
    TENON_HOLDS(!other.has_repeated_key && !other.has_null_character);
    TENON_HOLDS(text.size() <= limits.max_bytes && !other.has_large_integer);
    const Json read = Json::parse(text);
    compare(tenon::base::parse_json(text, limits), read);
    compare(tenon::base::JsonSlice(text), read);
  } else {
    TENON_HOLDS(!is_json || is_odd || other.deepest > limits.max_depth || other.has_repeated_key ||
                other.has_null_character || other.has_large_integer ||
                text.size() > limits.max_bytes);
  }

  bool is_object = true;
  try {
    tenon::base::parse_json_object(text, limits);
  } catch (const Error&) {
    is_object = false;
  }
  TENON_HOLDS(!is_object || taken);

  // The writer makes a JSON string of any text.
  std::string written;
  tenon::base::append_json_string(written, text.substr(0, 500));
  const Json read = Json::parse(written);
  TENON_HOLDS(read.is_string() && written.find('<') == std::string::npos);
  return 0;
}

#include "base/json.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <Poco/JSON/ParseHandler.h>
#include <Poco/JSON/Parser.h>

#include "base/error.hpp"

namespace tenon::base {

namespace {

// Below this Poco reads whole numbers through a double and so gives others out.
constexpr std::int64_t last_whole_double = -(std::int64_t{1} << 53);

// Builds, with the numbers that Poco's parser would give out as others.
class ExactHandler : public Poco::JSON::ParseHandler {
 public:
  explicit ExactHandler(std::span<const std::int64_t> exact) : exact_(exact) {}

  using Poco::JSON::ParseHandler::value;
  void value(Poco::Int64 number) override {
    if (number <= last_whole_double && !exact_.empty()) {
      number = exact_.front();
      exact_ = exact_.subspan(1);
    }
    Poco::JSON::ParseHandler::value(number);
  }

 private:
  std::span<const std::int64_t> exact_;
};

// Whole numbers at and below last_whole_double, in their order, of a text that was checked.
std::vector<std::int64_t> scan_whole_numbers(std::string_view text) {
  constexpr std::size_t safe_digits = 15;
  constexpr std::string_view digits = "0123456789";
  std::vector<std::int64_t> exact;
  bool is_in_text = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '"') is_in_text = !is_in_text;
    if (is_in_text && text[at] == '\\') ++at;
    if (is_in_text || text[at] < '0' || text[at] > '9') continue;
    const std::size_t begin = at > 0 && text[at - 1] == '-' ? at - 1 : at;
    const std::size_t end = std::min(text.find_first_not_of(digits, at), text.size());
    const bool is_whole = end == text.size() || (text[end] != '.' && (text[end] | 0x20) != 'e');
    if (is_whole && begin < at && end - at > safe_digits) {
      std::int64_t number = 0;
      std::from_chars(text.data() + begin, text.data() + end, number);
      if (number <= last_whole_double) exact.push_back(number);
    }
    // Over a fraction and an exponent too, whose digits are no number of their own.
    at = std::min(text.find_first_not_of("0123456789.eE+-", end), text.size()) - 1;
  }
  return exact;
}

Poco::Dynamic::Var build(const std::string& text, std::size_t max_depth) {
  const std::vector<std::int64_t> exact = scan_whole_numbers(text);
  Poco::JSON::Handler::Ptr handler = new ExactHandler(exact);
  Poco::JSON::Parser parser(handler);
  // Poco counts one level more than are open.
  parser.setDepth(max_depth + 2);
  parser.setAllowComments(false);
  try {
    parser.parse(text);
  } catch (const std::exception& failure) {
    // Not seen: the text was checked.
    throw Error(400, "json.invalid",
                std::string("This is not valid JSON: ") + failure.what() + ".");
  }
  return handler->asVar();
}

}  // namespace

Poco::Dynamic::Var parse_json(std::string_view text, const JsonLimits& limits) {
  check_json(text, limits);
  const auto max_depth = static_cast<std::size_t>(limits.max_depth);
  // Poco builds nothing outside of an array or object: a text that is one value gets an array.
  const std::size_t first = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  if (first < text.size() && (text[first] == '{' || text[first] == '['))
    return build(std::string(text), max_depth);
  return build("[" + std::string(text) + "]", 1).extract<Poco::JSON::Array::Ptr>()->get(0);
}

Poco::JSON::Object::Ptr parse_json_object(std::string_view text, const JsonLimits& limits) {
  const Poco::Dynamic::Var parsed = parse_json(text, limits);
  if (parsed.isEmpty() || parsed.type() != typeid(Poco::JSON::Object::Ptr)) {
    throw Error(400, "json.invalid", "A JSON object is expected here.");
  }
  return parsed.extract<Poco::JSON::Object::Ptr>();
}

}  // namespace tenon::base

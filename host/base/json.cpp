#include "base/json.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include <Poco/JSON/Handler.h>
#include <Poco/JSON/ParseHandler.h>
#include <Poco/JSON/Parser.h>

#include "base/error.hpp"
#include "base/utf8.hpp"

namespace tenon::base {

namespace {

// Below this Poco reads whole numbers through a double and so gives others out.
constexpr std::int64_t last_whole_double = -(std::int64_t{1} << 53);

// Passes everything on to the handler that builds (or to none), after refusing what Poco's parser
// lets through.
class StrictHandler : public Poco::JSON::Handler {
 public:
  StrictHandler(Poco::JSON::Handler* next, int max_depth, std::span<const std::int64_t> exact)
      : next_(next), max_depth_(max_depth), exact_(exact) {}

  void reset() override {
    keys_.clear();
    depth_ = 0;
    if (next_) next_->reset();
  }
  void startObject() override {
    enter();
    keys_.emplace_back();
    if (next_) next_->startObject();
  }
  void endObject() override {
    --depth_;
    keys_.pop_back();
    if (next_) next_->endObject();
  }
  void startArray() override {
    enter();
    if (next_) next_->startArray();
  }
  void endArray() override {
    --depth_;
    if (next_) next_->endArray();
  }
  void key(const std::string& name) override {
    if (!keys_.back().insert(name).second) {
      throw Error(400, "json.invalid",
                  "The key \"" + name + "\" stands twice in one JSON object; keep one of them.");
    }
    if (next_) next_->key(name);
  }
  void null() override {
    if (next_) next_->null();
  }
  void value(int number) override {
    if (next_) next_->value(number);
  }
  void value(unsigned number) override {
    if (next_) next_->value(number);
  }
  void value(Poco::Int64 number) override {
    if (number <= last_whole_double && !exact_.empty()) {
      number = exact_.front();
      exact_ = exact_.subspan(1);
    }
    if (next_) next_->value(number);
  }
  void value(Poco::UInt64 number) override {
    if (next_) next_->value(number);
  }
  void value(const std::string& text) override {
    if (next_) next_->value(text);
  }
  void value(double number) override {
    if (next_) next_->value(number);
  }
  void value(bool flag) override {
    if (next_) next_->value(flag);
  }

 private:
  void enter() {
    if (++depth_ > max_depth_) {
      throw Error(
          400, "json.invalid",
          "The JSON is nested deeper than " + std::to_string(max_depth_) + " levels; flatten it.");
    }
  }

  Poco::JSON::Handler* next_;
  int max_depth_;
  std::span<const std::int64_t> exact_;
  int depth_ = 0;
  std::vector<std::unordered_set<std::string>> keys_;
};

// True for \u0000. Poco's own check would also refuse a text about it, which stands as \\u0000.
bool escapes_null(std::string_view text) {
  constexpr std::string_view escape = "\\u0000";
  for (std::size_t at = text.find(escape); at != std::string_view::npos;
       at = text.find(escape, at + 1)) {
    std::size_t backslashes = 1;
    while (backslashes <= at && text[at - backslashes] == '\\')
      ++backslashes;
    if (backslashes % 2 == 1) return true;
  }
  return false;
}

// What Poco does not read as it stands.
struct WholeNumbers {
  std::vector<std::int64_t> exact;  // those at and below last_whole_double, in their order
  std::string_view beyond;          // one that does not fit into 64 bits; empty where there is none
};

WholeNumbers scan_whole_numbers(std::string_view text) {
  constexpr std::size_t safe_digits = 15;
  constexpr std::string_view digits = "0123456789";
  WholeNumbers numbers;
  bool is_in_text = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '"') is_in_text = !is_in_text;
    if (is_in_text && text[at] == '\\') ++at;
    if (is_in_text || text[at] < '0' || text[at] > '9') continue;
    const std::size_t begin = at > 0 && text[at - 1] == '-' ? at - 1 : at;
    const std::size_t end = std::min(text.find_first_not_of(digits, at), text.size());
    const bool is_whole = end == text.size() || (text[end] != '.' && (text[end] | 0x20) != 'e');
    const std::string_view number = text.substr(begin, end - begin);
    if (is_whole && end - at > safe_digits) {
      std::int64_t with_sign = 0;
      std::uint64_t without = 0;
      const char* last = number.data() + number.size();
      const auto error = begin < at ? std::from_chars(number.data(), last, with_sign).ec
                                    : std::from_chars(number.data(), last, without).ec;
      if (error != std::errc()) numbers.beyond = number;
      if (with_sign <= last_whole_double) numbers.exact.push_back(with_sign);
    }
    // Over a fraction and an exponent too, whose digits are no number of their own.
    at = std::min(text.find_first_not_of("0123456789.eE+-", end), text.size()) - 1;
  }
  return numbers;
}

Poco::Dynamic::Var feed(const std::string& text, int max_depth, std::span<const std::int64_t> exact,
                        bool build) {
  Poco::JSON::ParseHandler builder;
  Poco::JSON::Handler::Ptr strict = new StrictHandler(build ? &builder : nullptr, max_depth, exact);
  // Poco counts one level more than are open; StrictHandler's own message comes first.
  Poco::JSON::Parser parser(strict);
  parser.setDepth(static_cast<std::size_t>(max_depth) + 2);
  parser.setAllowComments(false);
  try {
    parser.parse(text);
  } catch (const Error&) {
    throw;
  } catch (const Poco::Exception& failure) {
    throw Error(400, "json.invalid", "This is not valid JSON: " + failure.message() + ".");
  } catch (const std::exception& failure) {
    throw Error(400, "json.invalid",
                std::string("This is not valid JSON: ") + failure.what() + ".");
  }
  return build ? builder.asVar() : Poco::Dynamic::Var();
}

Poco::Dynamic::Var run(std::string_view text, const JsonLimits& limits, bool build) {
  if (text.size() > limits.max_bytes) {
    throw Error(413, "json.too_large",
                "The JSON has " + std::to_string(text.size()) + " bytes; at most " +
                    std::to_string(limits.max_bytes) + " are taken.");
  }
  if (!is_valid_utf8(text)) throw Error(400, "json.invalid", "The JSON is not valid UTF-8.");
  if (text.find('\0') != std::string_view::npos)
    throw Error(400, "json.invalid", "The JSON holds a NUL byte.");
  if (escapes_null(text)) throw Error(400, "json.invalid", "The JSON holds a NUL character.");

  const WholeNumbers numbers = scan_whole_numbers(text);
  if (!numbers.beyond.empty()) {
    throw Error(400, "json.invalid",
                "The whole number " + std::string(numbers.beyond.substr(0, 40)) +
                    " in the JSON does not fit into 64 bits; write it as a text or with an "
                    "exponent.");
  }
  // Poco builds nothing outside of an array or object: a text that is one value gets an array.
  const std::size_t first = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  const bool is_one_value = first < text.size() && text[first] != '{' && text[first] != '[';
  if (!build || !is_one_value)
    return feed(std::string(text), limits.max_depth, numbers.exact, build);
  feed(std::string(text), limits.max_depth, numbers.exact, false);
  return feed("[" + std::string(text) + "]", 1, numbers.exact, true)
      .extract<Poco::JSON::Array::Ptr>()
      ->get(0);
}

}  // namespace

Poco::Dynamic::Var parse_json(std::string_view text, const JsonLimits& limits) {
  return run(text, limits, true);
}

void check_json(std::string_view text, const JsonLimits& limits) {
  run(text, limits, false);
}

Poco::JSON::Object::Ptr parse_json_object(std::string_view text, const JsonLimits& limits) {
  const Poco::Dynamic::Var parsed = run(text, limits, true);
  if (parsed.isEmpty() || parsed.type() != typeid(Poco::JSON::Object::Ptr)) {
    throw Error(400, "json.invalid", "A JSON object is expected here.");
  }
  return parsed.extract<Poco::JSON::Object::Ptr>();
}

}  // namespace tenon::base

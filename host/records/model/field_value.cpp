#include "records/model/field_value.hpp"

#include <algorithm>
#include <cmath>

#include <Poco/Exception.h>

#include "base/error.hpp"
#include "base/ids.hpp"
#include "base/json_writer.hpp"
#include "expression/checker.hpp"
#include "records/model/limits.hpp"
#include "schema/dates.hpp"
#include "schema/findings.hpp"

namespace tenon::records {

namespace {

using base::JsonSlice;
using base::JsonType;
using data::schema::Field;
using data::schema::FieldType;
using data::schema::Value;

double number_of(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
  return std::get<double>(value);
}

std::string text_of(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return std::to_string(*integer);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  std::string written;
  base::JsonWriter(written).value(std::get<double>(value));
  return written;
}

// One value on its way in.
class FieldReader {
 public:
  FieldReader(const FieldModel& model, std::vector<base::FieldError>& errors)
      : model_(model), field_(model.field), errors_(errors) {}

  Change read(const JsonSlice& json, bool may_increment) {
    Change change{.field = &model_, .value = {}, .members = {}, .files = {}};
    if (json.is_null()) {
      empty();
    } else if (may_increment && json.type() == JsonType::object) {
      change.is_increment = true;
      change.value = read_increment(json);
    } else if (field_.type == FieldType::blob) {
      read_files(json, change);
    } else if (field_.many) {
      read_many(json, change);
    } else {
      change.value = read_one(json);
    }
    return change;
  }

  // Adds an increment to the value of a record; an empty one counts as 0.
  Value sum(const Value& stored, const Value& by) {
    if (field_.type == FieldType::number) {
      const double total = (stored.index() == 0 ? 0 : number_of(stored)) + number_of(by);
      if (std::isfinite(total))
        check_bounds(total);
      else
        wrong("too_large", "The sum is too large.");
      return total;
    }
    const auto* before = std::get_if<std::int64_t>(&stored);
    std::int64_t total = 0;
    if (__builtin_add_overflow(before ? *before : 0, std::get<std::int64_t>(by), &total))
      wrong("too_large", "The sum has more than 64 bits.");
    else
      check_bounds(total);
    return total;
  }

 private:
  void wrong(const char* code, std::string message) {
    errors_.push_back({field_.name, code, std::move(message)});
  }
  void empty() {
    if (field_.required) wrong("required", "This field is required.");
  }

  // Whether it has this type; says so where not.
  bool is(const JsonSlice& json, JsonType type, const char* what) {
    if (json.type() == type) return true;
    wrong("type", std::string("This is ") + what + ".");
    return false;
  }

  void read_files(const JsonSlice& json, Change& change) {
    if (!field_.many) return read_file(json, change);
    if (!is(json, JsonType::array, "a list")) return;
    std::size_t uploads = 0;
    json.each_element([&](const JsonSlice& element) {
      if (change.files.size() > max_members) return;
      read_file(element, change);
    });
    for (const FileRef& file : change.files)
      uploads += file.upload.empty() ? 0U : 1U;
    if (uploads > max_new_files || change.files.size() > max_members) {
      change.files.clear();
      return wrong("too_long", "At most " + std::to_string(max_members) + " files are possible, " +
                                   std::to_string(max_new_files) + " new ones at once.");
    }
    if (change.files.empty()) empty();
  }

  void read_file(const JsonSlice& json, Change& change) {
    FileRef file;
    if (json.type() == JsonType::object) {
      json.each_member([&](const std::string& name, const JsonSlice& value) {
        if (value.type() != JsonType::string) return;
        if (name == "upload") file.upload = value.string();
        if (name == "id") file.blob = value.string();
      });
    }
    if (file.upload.empty() == file.blob.empty()) {
      const char* const what =
          "A file is {\"upload\":\"…\"}, or {\"id\":\"…\"} of one that is there.";
      return wrong("type", what);
    }
    change.files.push_back(std::move(file));
  }

  void read_many(const JsonSlice& json, Change& change) {
    if (!is(json, JsonType::array, "a list")) return;
    std::vector<std::string> members;
    bool is_sound = true;
    json.each_element([&](const JsonSlice& element) {
      if (!is_sound || members.size() > max_members) return;
      const std::size_t before = errors_.size();
      Value value = read_one(element);
      is_sound = errors_.size() == before;
      if (is_sound) members.push_back(std::get<std::string>(std::move(value)));
    });
    if (!is_sound) return;
    if (members.size() > max_members)
      return wrong("too_long", "At most " + std::to_string(max_members) + " values are possible.");
    std::vector<std::string_view> sorted(members.begin(), members.end());
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
      return wrong("duplicate", "A value appears twice.");
    if (members.empty()) empty();
    if (field_.is_link()) {
      change.members = std::move(members);
      return;
    }
    std::string text;
    base::JsonWriter list(text);
    list.begin_array();
    for (const std::string& member : members)
      list.value(member);
    list.end_array();
    change.value = std::move(text);
  }

  Value read_one(const JsonSlice& json) {
    switch (field_.type) {
      case FieldType::text:
        return read_text(json);
      case FieldType::integer:
        return read_integer(json);
      case FieldType::number:
        return read_number(json);
      case FieldType::boolean:
        if (!is(json, JsonType::boolean, "true or false")) return {};
        return std::int64_t{json.boolean()};
      case FieldType::date:
      case FieldType::datetime:
        return read_date(json);
      case FieldType::json:
        return std::string(json.text());
      case FieldType::choice:
        return read_choice(json);
      default:
        if (json.type() == JsonType::string && base::is_id(json.string())) return json.string();
        wrong("type", "This is the id of a record.");
        return {};
    }
  }

  Value read_text(const JsonSlice& json) {
    if (!is(json, JsonType::string, "a text")) return {};
    std::string text = json.string();
    const auto size = static_cast<std::int64_t>(data::schema::characters(text));
    if (const auto* min = std::get_if<std::int64_t>(&field_.min); min && size < *min)
      wrong("too_short", "At least " + std::to_string(*min) + " characters are needed.");
    if (const auto* max = std::get_if<std::int64_t>(&field_.max); max && size > *max)
      wrong("too_long", "At most " + std::to_string(*max) + " characters are possible.");
    if (model_.pattern && !fits_pattern(text))
      wrong("pattern", field_.message.empty()
                           ? "This text does not have the form that it needs: " + field_.pattern
                           : field_.message);
    return text;
  }

  bool fits_pattern(const std::string& text) const {
    try {
      Poco::RegularExpression::Match match;
      return model_.pattern->match(text, 0, match) > 0;
    } catch (const Poco::Exception&) {
      return false;  // it would take too long
    }
  }

  // The bounds are checked where the sum is known.
  Value read_increment(const JsonSlice& json) {
    Value by;
    bool is_sound = true;
    json.each_member([&](const std::string& name, const JsonSlice& value) {
      is_sound = is_sound && name == "increment" && value.type() == JsonType::number;
      if (!is_sound) return;
      if (field_.type == FieldType::number) {
        by = value.number();
        is_sound = std::isfinite(value.number());
      } else if (const auto integer = value.integer()) {
        by = *integer;
      } else {
        is_sound = false;
      }
    });
    if (is_sound && by.index() != 0) return by;
    wrong("type", field_.type == FieldType::integer
                      ? "This is a whole number, or {\"increment\": 1}."
                      : "This is a number, or {\"increment\": 0.5}.");
    return std::int64_t{0};
  }

  template <typename Number>
  void check_bounds(Number number) {
    const auto is_less = [](const Value& bound, Number value, bool is_upper) {
      if (const auto* integer = std::get_if<std::int64_t>(&bound)) {
        if constexpr (std::is_integral_v<Number>)
          return is_upper ? value > *integer : value < *integer;
      }
      const double limit = number_of(bound);
      const auto given = static_cast<double>(value);
      return is_upper ? given > limit : given < limit;
    };
    if (field_.min.index() != 0 && is_less(field_.min, number, false))
      wrong("too_small", "At least " + text_of(field_.min) + ".");
    if (field_.max.index() != 0 && is_less(field_.max, number, true))
      wrong("too_large", "At most " + text_of(field_.max) + ".");
  }

  Value read_integer(const JsonSlice& json) {
    const auto integer = json.type() == JsonType::number ? json.integer() : std::nullopt;
    if (!integer) {
      wrong("type", "This is a whole number of at most 64 bits.");
      return {};
    }
    check_bounds(*integer);
    return *integer;
  }

  Value read_number(const JsonSlice& json) {
    if (!is(json, JsonType::number, "a number")) return {};
    const double number = json.number();
    if (!std::isfinite(number)) {
      wrong("too_large", "This number is too large.");
      return {};
    }
    check_bounds(number);
    return number;
  }

  Value read_date(const JsonSlice& json) {
    const bool is_day = field_.type == FieldType::date;
    std::optional<std::string> text;
    if (json.type() == JsonType::string) {
      text = json.string();
      if (!is_day)
        text = expression::stored_datetime(*text);
      else if (!data::schema::is_date(*text))
        text.reset();
    }
    if (!text) {
      wrong("type", is_day ? "This is a date like 2026-11-20."
                           : "This is a moment in UTC like 2026-11-20T08:15:30.000Z.");
      return {};
    }
    if (field_.min.index() != 0 && *text < text_of(field_.min))
      wrong("too_small", "Not before " + text_of(field_.min) + ".");
    if (field_.max.index() != 0 && *text > text_of(field_.max))
      wrong("too_large", "Not after " + text_of(field_.max) + ".");
    return *std::move(text);
  }

  Value read_choice(const JsonSlice& json) {
    if (!is(json, JsonType::string, "a text")) return {};
    std::string text = json.string();
    const auto& choices = field_.choices;
    if (std::find(choices.begin(), choices.end(), text) == choices.end()) {
      wrong("choice", "This is none of the choices.");
      return {};
    }
    return text;
  }

  const FieldModel& model_;
  const Field& field_;
  std::vector<base::FieldError>& errors_;
};

}  // namespace

Change read_value(const FieldModel& field, const JsonSlice& json,
                  std::vector<base::FieldError>& errors, bool may_increment) {
  return FieldReader(field, errors).read(json, may_increment);
}

Value incremented(const FieldModel& field, const Value& stored, const Value& by,
                  std::vector<base::FieldError>& errors) {
  return FieldReader(field, errors).sum(stored, by);
}

}  // namespace tenon::records

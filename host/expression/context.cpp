#include "expression/context.hpp"

#include <algorithm>
#include <utility>

#include "base/clock.hpp"
#include "base/json_writer.hpp"

namespace tenon::expression {

Context::Context(std::optional<std::string> user, std::vector<std::string> groups, std::int64_t now,
                 Can can)
    : user_(std::move(user)),
      groups_(std::move(groups)),
      milliseconds_(now),
      can_(std::move(can)) {}

std::string_view Context::now() const {
  if (now_.empty()) now_ = base::rfc3339(milliseconds_);
  return now_;
}

std::string_view Context::days_ago(std::int64_t days) const {
  constexpr std::int64_t day = 24LL * 60 * 60 * 1000;
  constexpr std::int64_t year_zero = -62'167'219'200'000;  // 0000-01-01
  std::string& text = days_ago_[days];
  if (text.empty()) text = base::rfc3339(std::max(milliseconds_ - days * day, year_zero));
  return text;
}

std::string_view Context::groups_json() const {
  if (groups_json_.empty()) {
    base::JsonWriter json(groups_json_);
    json.begin_array();
    for (const std::string& group : groups_)
      json.value(group);
    json.end_array();
  }
  return groups_json_;
}

}  // namespace tenon::expression

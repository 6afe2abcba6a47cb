#include "admin_api/people/people_handler.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "admin_api/page_query.hpp"
#include "base/error.hpp"
#include "base/json_writer.hpp"
#include "identity/identity.hpp"
#include "identity/users/people.hpp"

namespace tenon::console {

namespace {

using identity::People;
using identity::Person;

[[noreturn]] void refuse_parameter(const char* parameter, const std::string& message) {
  throw base::Error(422, "identity.validation", message, {{parameter, "invalid", message}});
}

std::optional<identity::PersonKind> read_kind(std::string_view query) {
  const std::string name = http::query_value(query, "kind");
  if (name.empty()) return std::nullopt;
  const auto kind = identity::parse_person_kind(name);
  if (!kind) refuse_parameter("kind", "A kind is user or group.");
  return kind;
}

std::vector<std::string> read_ids(std::string_view text) {
  std::vector<std::string> ids;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    if (end > 0) ids.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (ids.size() > People::max_named)
    refuse_parameter("ids",
                     "Ask for at most " + std::to_string(People::max_named) + " ids at once.");
  return ids;
}

std::string person_json(const Person& person) {
  std::string text;
  base::JsonWriter(text)
      .begin_object()
      .member("kind", identity::to_string(person.kind))
      .member("id", person.id)
      .member("name", person.name)
      .end_object();
  return text;
}

}  // namespace

void FindPeople::handle(const http::ExchangePtr& exchange) {
  const std::string_view query = exchange->request().query;
  struct {
    std::vector<Person> items;
    std::string next;  // a picker asks for more letters instead
  } page;
  if (const std::string ids = http::query_value(query, "ids"); !ids.empty()) {
    page.items = identity_.people().named(read_ids(ids));
  } else {
    page.items = identity_.people().find(http::query_value(query, "q"), read_kind(query),
                                         read_limit(query, People::max_found));
  }
  exchange->respond(http::json_response(200, page_json(page, person_json)));
}

}  // namespace tenon::console

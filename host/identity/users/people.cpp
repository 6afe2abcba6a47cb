#include "identity/users/people.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/utf8.hpp"
#include "data/database.hpp"
#include "identity/users/name_key.hpp"

namespace tenon::identity {

namespace {

struct PersonMatch {
  bool later_word;
  std::string key;
  Person person;

  bool operator<(const PersonMatch& other) const {
    return std::tie(later_word, key, person.id) <
           std::tie(other.later_word, other.key, other.person.id);
  }
};

bool is_in_word(char c) {
  return static_cast<unsigned char>(c) >= 0x80 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z');
}

bool has_word(std::string_view key, std::string_view start) {
  for (std::size_t at = key.find(start, 1); at != std::string_view::npos;
       at = key.find(start, at + 1)) {
    if (!is_in_word(key[at - 1])) return true;
  }
  return false;
}

}  // namespace

std::string_view to_string(PersonKind kind) noexcept {
  return kind == PersonKind::group ? "group" : "user";
}

std::optional<PersonKind> parse_person_kind(std::string_view name) noexcept {
  if (name == "user") return PersonKind::user;
  if (name == "group") return PersonKind::group;
  return std::nullopt;
}

std::vector<Person> People::find(std::string_view text, std::optional<PersonKind> kind,
                                 std::size_t limit) const {
  limit = std::clamp<std::size_t>(limit, 1, max_found);
  // The first byte of a letter would fit many.
  if (!base::is_valid_utf8(text)) return {};
  const std::string wanted = name_key(text);
  std::vector<PersonMatch> found;
  const auto collect = [&](PersonKind of, std::string_view sql) {
    if (kind && *kind != of) return;
    data::Rows rows = database_.query(sql);
    while (rows.next()) {
      const std::string_view name = rows.text(1);
      std::string key = name_key(name);
      const bool begins = key.starts_with(wanted);
      if (!begins && !has_word(key, wanted)) continue;
      found.push_back(
          {!begins, std::move(key), {of, std::string(rows.text(0)), std::string(name)}});
    }
  };
  collect(PersonKind::user, "SELECT id, name FROM identity_users WHERE disabled = 0");
  collect(PersonKind::group, "SELECT id, name FROM identity_groups");
  const std::size_t kept = std::min(limit, found.size());
  std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(kept), found.end());
  std::vector<Person> people;
  for (std::size_t i = 0; i < kept; ++i)
    people.push_back(std::move(found[i].person));
  return people;
}

std::vector<Person> People::named(const std::vector<std::string>& ids) const {
  std::vector<Person> people;
  for (std::size_t i = 0; i < std::min(ids.size(), max_named); ++i) {
    data::Rows rows = database_.query(
        "SELECT 0, id, name FROM identity_users WHERE id = ?1 UNION ALL "
        "SELECT 1, id, name FROM identity_groups WHERE id = ?1",
        {ids[i]});
    if (!rows.next()) continue;
    people.push_back({rows.integer(0) == 1 ? PersonKind::group : PersonKind::user,
                      std::string(rows.text(1)), std::string(rows.text(2))});
  }
  return people;
}

}  // namespace tenon::identity

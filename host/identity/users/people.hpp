#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::data {
class Database;
}

namespace tenon::identity {

enum class PersonKind : std::uint8_t { user, group };

/// "user" or "group".
std::string_view to_string(PersonKind kind) noexcept;
std::optional<PersonKind> parse_person_kind(std::string_view name) noexcept;

/// The part of a user or a group that every signed-in user may know.
struct Person {
  PersonKind kind = PersonKind::user;
  std::string id;
  std::string name;
};

/// Users and groups by their names, for users who want to share something with them: no login, no
/// role, no membership. Reads all names for each question, about 15 ms with ten thousand of them.
/// Thread-safe; blocks on the database, so not for I/O threads.
class People {
 public:
  static constexpr std::size_t max_found = 50;
  static constexpr std::size_t max_named = 100;  ///< ids of one question

  explicit People(data::Database& database) : database_(database) {}

  /// Finds those whose name, or a word of it, begins with `text` without regard to case: first
  /// those whose whole name does, each by name. All for an empty text. Disabled users are not
  /// found. `kind`: only these. `limit` is cut to 1 … max_found.
  std::vector<Person> find(std::string_view text, std::optional<PersonKind> kind = {},
                           std::size_t limit = 20) const;

  /// Returns those with these ids, disabled ones too, as old records name them; in the order of the
  /// ids. Unknown ids, and those beyond max_named, are left out.
  std::vector<Person> named(const std::vector<std::string>& ids) const;

 private:
  data::Database& database_;
};

}  // namespace tenon::identity

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tenon::records {

class Model;

/// Kind of the jobs that run an Action.
inline constexpr std::string_view action_kind = "records.action";

/// A change of all records of a table that match a condition, as a schedule of plugin.json declares
/// it.
struct Action {
  enum class Kind : std::uint8_t { remove, update };

  Kind kind = Kind::remove;
  std::string table;
  std::string where;       ///< an expression; never empty
  std::string set = "{}";  ///< update: one JSON object, the new values by field

  /// Returns the payload of its job.
  std::string to_json() const;
  /// Reads what to_json() returns. Throws base::Error 422 "json.…".
  static Action from_json(std::string_view json);
};

/// A wrong member of a schedule.
struct ActionFault {
  std::string member;  ///< "table", "where", "set.state"; "cron" or "time_zone"
  std::string message;
};

/// Checks an action against the tables of its plugin: the table, the condition, and the fields and
/// values to set. Throws ActionFault.
void check_action(const Action& action, const Model& model);

/// Checks the times of a schedule. Throws ActionFault.
void check_times(std::string_view cron, std::string_view time_zone);

}  // namespace tenon::records

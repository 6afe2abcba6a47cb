#include "app/dev/type_check.hpp"

#include <utility>

namespace tenon::app {

TypeCheck::TypeCheck(const ToolCommand& command)
    : process_(command, {.pipes_output = true, .merges_errors = true, .has_own_group = true}) {}

std::optional<std::string> TypeCheck::read() {
  const auto line = process_.read_line();
  if (!line) {
    has_ended_ = true;
    return std::nullopt;
  }
  // TS6032: a file changed; TS6194: the check is complete. Their texts, because --pretty false
  // prints no codes for them.
  if (line->find("Starting") != std::string::npos &&
      line->find(" compilation") != std::string::npos) {
    errors_.clear();
    return std::nullopt;
  }
  if (line->find("Watching for file changes") != std::string::npos)
    return std::exchange(errors_, std::string());
  const bool is_error = line->find(": error TS") != std::string::npos;
  const bool is_continued = !errors_.empty() && line->starts_with("  ");
  if (is_error || is_continued) errors_.append(*line).append("\n");
  return std::nullopt;
}

}  // namespace tenon::app

#pragma once

#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::app {

struct Command;

/// A command line that was written wrongly: exit code 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The parsed arguments of one command. parse_arguments() has checked the number of operands and
/// the names of all options.
struct Arguments {
  const Command* command = nullptr;           ///< never null after parse_arguments()
  std::vector<std::string> operands;          ///< what is neither the command nor an option
  std::map<std::string, std::string> values;  ///< "--role" → "admin"
  std::set<std::string> flags;                ///< "--json"
  std::vector<std::string> configuration;     ///< "--data", "/srv/tenon", …

  bool has(const std::string& flag) const { return flags.contains(flag); }
  /// Returns the value of an option; empty if it is not given.
  std::string value(const std::string& option) const;
  /// Returns an operand; empty if there are fewer.
  std::string operand(std::size_t index) const;
};

/// Parses what follows the name of `command`. Options that the command does not declare are options
/// of the configuration, if the command takes those. Throws UsageError for an unknown option (it
/// suggests a similar one), a missing value, and a wrong number of operands.
Arguments parse_arguments(const Command& command, const std::vector<std::string>& words);

/// Returns "; did you mean X?", or nothing if no candidate is similar.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace tenon::app

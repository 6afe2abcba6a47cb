#pragma once

#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace tenon::app {

/// A command line that was written wrongly: exit code 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The arguments of a subcommand, taken apart. Options that it does not know itself are kept for
/// the configuration, which refuses unknown ones by name.
struct Arguments {
  std::vector<std::string> words;             ///< what is no option
  std::map<std::string, std::string> values;  ///< "--role" → "admin"
  std::set<std::string> flags;                ///< "--json"
  std::vector<std::string> configuration;     ///< "--data", "/srv/tenon", …

  bool has(const std::string& flag) const { return flags.contains(flag); }
  std::string value(const std::string& option) const;
};

/// Takes `arguments` apart. Throws UsageError when an option lacks its value.
Arguments parse_arguments(const std::vector<std::string>& arguments,
                          const std::set<std::string>& options_with_value,
                          const std::set<std::string>& flags);

}  // namespace tenon::app

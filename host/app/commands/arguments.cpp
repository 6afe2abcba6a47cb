#include "app/commands/arguments.hpp"

namespace tenon::app {

std::string Arguments::value(const std::string& option) const {
  const auto found = values.find(option);
  return found == values.end() ? std::string() : found->second;
}

Arguments parse_arguments(const std::vector<std::string>& arguments,
                          const std::set<std::string>& options_with_value,
                          const std::set<std::string>& flags) {
  Arguments parsed;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (!argument.starts_with("--")) {
      parsed.words.push_back(argument);
      continue;
    }
    const std::size_t equals = argument.find('=');
    const std::string name = argument.substr(0, equals);
    if (flags.contains(name)) {
      if (equals != std::string::npos) throw UsageError(name + " takes no value");
      parsed.flags.insert(name);
      continue;
    }
    std::string value;
    if (equals != std::string::npos) {
      value = argument.substr(equals + 1);
    } else {
      if (i + 1 == arguments.size())
        throw UsageError(name + " needs a value, or is not an option of this command");
      value = arguments[++i];
    }
    if (options_with_value.contains(name)) {
      parsed.values[name] = std::move(value);
    } else {
      parsed.configuration.push_back(name);
      parsed.configuration.push_back(std::move(value));
    }
  }
  return parsed;
}

}  // namespace tenon::app

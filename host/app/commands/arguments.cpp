#include "app/commands/arguments.hpp"

#include <algorithm>

#include "app/commands/command_table.hpp"
#include "config/keys.hpp"
#include "config/nearest.hpp"

namespace tenon::app {

namespace {

bool is_configuration_option(const std::string& name) {
  const auto keys = config::keys();
  return std::any_of(keys.begin(), keys.end(), [&](const config::Key& key) {
    return name == config::flag_name(key) ||
           (!key.former_name.empty() && name == config::flag_name(config::with_former_name(key)));
  });
}

std::vector<std::string> known_options(const Command& command) {
  std::vector<std::string> names;
  for (const Option& option : options_of(command))
    names.emplace_back(option.name);
  if (!command.has_configuration) return names;
  for (const config::Key& key : config::keys())
    names.push_back(config::flag_name(key));
  return names;
}

void require_operands(const Command& command, std::size_t count) {
  if (count >= command.min_operands && count <= command.max_operands) return;
  if (command.max_operands == 0) throw UsageError("takes options only");
  throw UsageError(count < command.min_operands ? "needs " + std::string(command.operands)
                                                : "takes only " + std::string(command.operands));
}

}  // namespace

std::string Arguments::value(const std::string& option) const {
  const auto found = values.find(option);
  return found == values.end() ? std::string() : found->second;
}

std::string Arguments::operand(std::size_t index) const {
  return index < operands.size() ? operands[index] : std::string();
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string similar = config::nearest(word, candidates);
  return similar.empty() ? std::string() : "; did you mean " + similar + "?";
}

Arguments parse_arguments(const Command& command, const std::vector<std::string>& words) {
  Arguments parsed;
  parsed.command = &command;
  bool has_only_operands = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (!has_only_operands && word == "--") {
      has_only_operands = true;
      continue;
    }
    if (has_only_operands || !word.starts_with("--")) {
      if (word.empty()) throw UsageError("an argument is empty");
      parsed.operands.push_back(word);
      continue;
    }
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const auto options = options_of(command);
    const auto option = std::find_if(options.begin(), options.end(),
                                     [&](const Option& one) { return name == one.name; });
    const bool is_own = option != options.end();
    if (is_own && option->value.empty()) {
      if (equals != std::string::npos) throw UsageError(name + " takes no value");
      parsed.flags.insert(name);
      continue;
    }
    if (!is_own && !(command.has_configuration && is_configuration_option(name)))
      throw UsageError("unknown option " + name + did_you_mean(name, known_options(command)));
    std::string value;
    if (equals != std::string::npos) {
      value = word.substr(equals + 1);
    } else {
      if (i + 1 == words.size()) throw UsageError(name + " needs a value");
      value = words[++i];
    }
    if (is_own) {
      parsed.values[name] = std::move(value);
    } else {
      parsed.configuration.push_back(name);
      parsed.configuration.push_back(std::move(value));
    }
  }
  require_operands(command, parsed.operands.size());
  return parsed;
}

}  // namespace tenon::app

#include "app/commands/command_line.hpp"

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "app/commands/arguments.hpp"
#include "app/commands/command_help.hpp"
#include "app/commands/command_table.hpp"
#include "app/commands/completion.hpp"
#include "app/commands/error_help.hpp"
#include "app/commands/subcommands.hpp"
#include "base/error.hpp"

namespace tenon::app {

namespace {

bool is_data_policy(const std::string& word) {
  return word == "keep" || word == "export" || word == "purge" || word == "restore";
}

// Replaces former spellings.
std::vector<std::string> current_forms(std::vector<std::string> words) {
  if (words.empty()) return words;
  if (words[0] == "--version") words[0] = "version";
  if (words[0] == "--help" || words[0] == "-h") words[0] = "help";
  if (words[0] != "plugin" || words.size() < 2) return words;
  if (words[1] == "exports") words[1] = "export list";
  if (words[1] == "forget-export") words[1] = "export delete";
  if (const std::size_t space = words[1].find(' '); space != std::string::npos) {
    words.insert(words.begin() + 2, words[1].substr(space + 1));
    words[1].resize(space);
  }
  const bool has_policy = words[1] == "remove" || words[1] == "rollback";
  for (std::size_t i = 2; i + 1 < words.size(); ++i) {
    if (words[i] == "--data-of-plugin")
      words[i] = has_policy ? "--data-policy" : "--restore-export";
    else if (has_policy && words[i] == "--data" && is_data_policy(words[i + 1]))
      words[i] = "--data-policy";
  }
  return words;
}

// The command whose name begins the words, and how many words that are.
struct CommandMatch {
  const Command* command = nullptr;
  std::size_t words = 0;  // of the name, or of what begins a name
};

CommandMatch find_command(const std::vector<std::string>& words) {
  CommandMatch found;
  std::string name;
  for (std::size_t i = 0; i < words.size(); ++i) {
    name += (i == 0 ? "" : " ") + words[i];
    for (const Command& command : commands()) {
      if (command.name == name) return {&command, i + 1};
      if (command.name.starts_with(name + " ")) found = {nullptr, i + 1};
    }
    if (found.words != i + 1) break;
  }
  return found;
}

std::string first_words(const std::vector<std::string>& words, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count && i < words.size(); ++i)
    text += (i == 0 ? "" : " ") + words[i];
  return text;
}

int wrong_usage(const std::string& message, const std::string& command) {
  std::fprintf(stderr, "tenon: %s\nTry: tenon help%s%s\n", message.c_str(),
               command.empty() ? "" : " ", command.c_str());
  return exit_usage;
}

int unknown_command(const std::vector<std::string>& words, const CommandMatch& found) {
  const std::string group = first_words(words, found.words);
  if (found.words == words.size() || words[found.words].starts_with("-")) {
    std::fprintf(stderr, "tenon: %s needs a command\n%s", group.c_str(),
                 overview_of(group).c_str());
    return exit_usage;
  }
  return wrong_usage("there is no command \"" + first_words(words, found.words + 1) + "\"" +
                         did_you_mean(words[found.words], next_words(group)),
                     group);
}

int report(const base::Error& error, const std::string& command) {
  if (error.code() == "config.usage") return wrong_usage(command + ": " + error.message(), command);
  std::fprintf(stderr, "tenon: %s [%s]\n", error.message().c_str(), error.code().c_str());
  for (const base::FieldError& field : error.fields())
    std::fprintf(stderr, "  %s: %s\n", field.field.c_str(), field.message.c_str());
  return exit_refused;
}

int print_error_help(const std::string& code) {
  const std::string text = explain_error(code);
  if (text.empty())
    throw UsageError("there is no error code \"" + code + "\"" +
                     did_you_mean(code, explained_errors()));
  std::fputs(text.c_str(), stdout);
  return exit_done;
}

}  // namespace

int help(const Arguments& given) {
  const CommandMatch found = find_command(given.operands);
  if (given.operands.empty())
    std::fputs(overview().c_str(), stdout);
  else if (found.command != nullptr)
    std::fputs(help_of(*found.command).c_str(), stdout);
  else if (found.words == given.operands.size())
    std::fputs(overview_of(first_words(given.operands, found.words)).c_str(), stdout);
  else if (const std::string& word = given.operands[0]; word.find('.') != std::string::npos)
    return print_error_help(word);
  else
    throw UsageError("there is no command \"" + first_words(given.operands, 2) + "\"" +
                     did_you_mean(given.operands[found.words],
                                  next_words(first_words(given.operands, found.words))));
  return exit_done;
}

int completion(const Arguments& given) {
  const std::string script = completion_script(given.operand(0));
  if (script.empty()) throw UsageError("knows the shells bash, zsh and fish");
  std::fputs(script.c_str(), stdout);
  return exit_done;
}

int run(const std::vector<std::string>& arguments) {
  const std::vector<std::string> words = current_forms(arguments);
  if (words.empty()) {
    std::fputs(overview().c_str(), stderr);
    return exit_usage;
  }
  const CommandMatch found = find_command(words);
  const bool asks_for_help = std::any_of(words.begin(), words.end(), [](const std::string& word) {
    return word == "--help" || word == "-h";
  });
  if (asks_for_help && found.words > 0) {
    std::fputs((found.command == nullptr ? overview_of(first_words(words, found.words))
                                         : help_of(*found.command))
                   .c_str(),
               stdout);
    return exit_done;
  }
  if (found.command == nullptr) return unknown_command(words, found);
  const std::string name(found.command->name);
  try {
    const auto rest = words.begin() + static_cast<std::ptrdiff_t>(found.words);
    return found.command->run(parse_arguments(*found.command, {rest, words.end()}));
  } catch (const UsageError& error) {
    return wrong_usage(name + ": " + error.what(), name);
  } catch (const base::Error& error) {
    return report(error, name);
  }
}

}  // namespace tenon::app

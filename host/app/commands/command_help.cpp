#include "app/commands/command_help.hpp"

#include <algorithm>
#include <functional>
#include <vector>

#include "app/commands/command_table.hpp"
#include "config/keys.hpp"

namespace tenon::app {

namespace {

constexpr std::size_t line_width = 100;
constexpr std::size_t summary_column = 42;

constexpr const char* footer =
    R"(Commands on users, hosts and plugins use the running server of the data directory (--data DIR), or the
data itself when no server runs. With --json, commands print the JSON of the API. Exit codes: 0 success,
1 refused or failed, 2 wrong usage.
)";

std::string usage_of(const Command& command) {
  std::string text(command.name);
  if (!command.operands.empty()) text.append(" ").append(command.operands);
  return text;
}

std::string label_of(const Option& option) {
  std::string text(option.name);
  if (!option.value.empty()) text.append(" ").append(option.value);
  return text;
}

void append_line(std::string& text, const std::string& label, std::string_view summary) {
  text += "  " + label;
  if (label.size() + 4 > summary_column)
    text += "\n" + std::string(summary_column, ' ');
  else
    text.append(summary_column - label.size() - 2, ' ');
  text.append(summary).append("\n");
}

// Breaks a paragraph between words.
void append_wrapped(std::string& text, std::string_view words) {
  std::size_t column = 0;
  while (!words.empty()) {
    const std::size_t end = words.find(' ');
    const std::string_view word = words.substr(0, end);
    words = end == std::string_view::npos ? std::string_view() : words.substr(end + 1);
    if (column > 0 && column + 1 + word.size() > line_width) {
      text += '\n';
      column = 0;
    }
    if (column > 0) {
      text += ' ';
      ++column;
    }
    text += word;
    column += word.size();
  }
  text += '\n';
}

void append_paragraphs(std::string& text, std::string_view details) {
  while (!details.empty()) {
    const std::size_t end = details.find("\n\n");
    text += '\n';
    append_wrapped(text, details.substr(0, end));
    details = end == std::string_view::npos ? std::string_view() : details.substr(end + 2);
  }
}

std::string list_of(const std::function<bool(const Command&)>& is_listed) {
  std::string text;
  const CommandGroup* group = nullptr;
  for (const Command& command : commands()) {
    if (!is_listed(command)) continue;
    if (group == nullptr || *group != command.group) {
      group = &command.group;
      text += "\n" + std::string(title_of(command.group)) + "\n";
    }
    append_line(text, usage_of(command), command.summary);
  }
  return text;
}

// For Markdown tables, where "|" ends a cell.
std::string in_cell(std::string_view words) {
  std::string text;
  for (const char letter : words)
    text.append(letter == '|' ? "\\|" : std::string(1, letter));
  return text;
}

}  // namespace

std::string overview() {
  return "Usage: tenon COMMAND [OPTIONS]\nOptions and examples: tenon help COMMAND\n" +
         list_of([](const Command&) { return true; }) + "\n" + footer;
}

std::string overview_of(std::string_view group) {
  const std::string beginning = std::string(group) + " ";
  return "Usage: tenon " + std::string(group) +
         " COMMAND [OPTIONS]\nOptions and examples: tenon help COMMAND\n" +
         list_of([&](const Command& command) { return command.name.starts_with(beginning); });
}

std::string help_of(const Command& command) {
  const std::vector<Option> options = options_of(command);
  std::string text = "Usage: tenon " + usage_of(command);
  if (!options.empty() || command.has_configuration) text += " [OPTIONS]";
  text += "\n\n" + std::string(command.summary) + "\n";
  if (!options.empty()) text += "\nOptions\n";
  for (const Option& option : options)
    append_line(text, label_of(option), option.help);
  append_paragraphs(text, command.details);
  if (!command.examples.empty()) text += "\nExamples\n";
  for (const std::string_view example : command.examples)
    text.append("  ").append(example).append("\n");
  if (!command.has_configuration) return text;
  if (command.name == "serve") return text + "\nConfiguration\n" + config::help_text() + "\n";
  append_paragraphs(text,
                    "It also takes the options of tenon serve, such as --data DIR: the data "
                    "directory.");
  return text;
}

std::string commands_markdown() {
  std::string text =
      "# Commands\n\n"
      "<!-- Written from the command table. Renew it with: "
      "UPDATE_DOCS=1 build/dev/tests/app_test -->\n\n"
      "`tenon help COMMAND` prints the same. `tenon completion bash` (or `zsh`, `fish`) prints a "
      "script that completes\ncommand lines. Commands on users, hosts and plugins use the running "
      "server of the data directory (`--data DIR`), or\nthe data itself when no server runs. With "
      "`--json`, commands print the JSON of the API. Exit codes: 0 success,\n1 refused or failed, "
      "2 wrong usage. A refusal prints its [error code](errors.md) in brackets.\n";
  const CommandGroup* group = nullptr;
  for (const Command& command : commands()) {
    if (group == nullptr || *group != command.group) {
      group = &command.group;
      text += "\n## " + std::string(title_of(command.group)) + "\n";
    }
    text += "\n### tenon " + std::string(command.name) + "\n\n```\ntenon " + usage_of(command) +
            "\n```\n\n" + std::string(command.summary) + "\n";
    const std::vector<Option> options = options_of(command);
    if (!options.empty()) text += "\n| Option | |\n|---|---|\n";
    for (const Option& option : options)
      text += "| `" + in_cell(label_of(option)) + "` | " + in_cell(option.help) + " |\n";
    append_paragraphs(text, command.details);
    if (command.has_configuration)
      text += "\nAlso takes the options of the [configuration](configuration.md).\n";
    if (command.examples.empty()) continue;
    text += "\n```sh\n";
    for (const std::string_view example : command.examples)
      text.append(example).append("\n");
    text += "```\n";
  }
  return text;
}

}  // namespace tenon::app

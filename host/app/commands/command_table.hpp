#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::app {

struct Arguments;

/// One option of a command.
struct Option {
  std::string_view name;   ///< "--role"
  std::string_view value;  ///< what it takes: "admin|member"; empty: it is a flag
  std::string_view help;   ///< one sentence
};

/// Commands of one purpose; help lists them under this title.
enum class CommandGroup : unsigned char { server, users, plugins, publishers, development, data };

/// One command. The table is the only definition: parsing, help, completions and docs/commands.md
/// come from it.
struct Command {
  std::string_view name;        ///< "plugin install"; words are separated by one space
  std::string_view operands{};  ///< "FILE|ID[@VERSION]"
  std::size_t min_operands = 0;
  std::size_t max_operands = 0;
  CommandGroup group = CommandGroup::server;
  std::string_view summary;  ///< one sentence
  std::vector<Option> options{};
  bool has_configuration = false;  ///< also takes the options of docs/configuration.md
  bool has_json = true;            ///< also takes --json
  std::string_view details{};      ///< paragraphs below the options; may be empty
  std::vector<std::string_view> examples{};
  /// Returns the exit code. Throws UsageError for a wrong command line and base::Error for a
  /// refusal.
  int (*run)(const Arguments& given) = nullptr;
};

/// Returns all commands in the order of help. Thread-safe.
std::span<const Command> commands();

/// Returns the words that may follow `beginning` in the names of commands: "list", "show", … for
/// "plugin". None twice.
std::vector<std::string> next_words(const std::string& beginning);

/// Returns the title of a group.
std::string_view title_of(CommandGroup group) noexcept;

/// Returns the options of a command with --json if it has that, without those of the
/// configuration.
std::vector<Option> options_of(const Command& command);

}  // namespace tenon::app

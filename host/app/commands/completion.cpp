#include "app/commands/completion.hpp"

#include <set>
#include <string>
#include <vector>

#include "app/commands/command_table.hpp"
#include "config/keys.hpp"

namespace tenon::app {

namespace {

std::vector<std::string> words_of(std::string_view text, char between) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t end = text.find(between);
    words.emplace_back(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return words;
}

// "admin|member" are the values of an option; a placeholder in capitals is a file.
bool is_choice(std::string_view value) {
  return value.find('|') != std::string_view::npos &&
         value.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") == std::string_view::npos;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words)
    text.append(text.empty() ? "" : " ").append(word);
  return text;
}

// The commands' names with all that begin longer ones: "plugin", "plugin export".
std::set<std::string> beginnings() {
  std::set<std::string> all;
  for (const Command& command : commands()) {
    std::string beginning;
    for (const std::string& word : words_of(command.name, ' ')) {
      all.insert(beginning);
      beginning += (beginning.empty() ? "" : " ") + word;
    }
  }
  return all;
}

std::string option_names(const Command& command) {
  std::vector<std::string> names;
  for (const Option& option : options_of(command))
    names.emplace_back(option.name);
  if (command.has_configuration) {
    for (const config::Key& key : config::keys())
      names.push_back(config::flag_name(key));
  }
  names.emplace_back("--help");
  return joined(names);
}

// A function that fills COMPREPLY; zsh runs it by bashcompinit.
std::string bash_function() {
  std::string text =
      "_tenon() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} command='' word i\n"
      "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
      "    word=${COMP_WORDS[i]}\n"
      "    case \"$word\" in -*) break ;; esac\n"
      "    case \"${command:+$command }$word\" in\n      ";
  std::string names;
  std::set<std::string> all = beginnings();
  for (const Command& command : commands())
    all.emplace(command.name);
  for (const std::string& name : all) {
    if (!name.empty()) names.append(names.empty() ? "" : " | ").append("'" + name + "'");
  }
  text += names + ") command=${command:+$command }$word ;;\n      *) break ;;\n    esac\n  done\n" +
          "  case \"$command ${COMP_WORDS[COMP_CWORD - 1]}\" in\n";
  for (const Command& command : commands()) {
    for (const Option& option : command.options) {
      if (is_choice(option.value))
        text += "    '" + std::string(command.name) + " " + std::string(option.name) +
                "') COMPREPLY=($(compgen -W '" + joined(words_of(option.value, '|')) +
                "' -- \"$current\")) && return ;;\n";
    }
  }
  text += "  esac\n  case \"$command\" in\n";
  for (const std::string& beginning : beginnings()) {
    text += "    '" + beginning + "') COMPREPLY=($(compgen -W '" + joined(next_words(beginning)) +
            "' -- \"$current\")) && return ;;\n";
  }
  for (const Command& command : commands()) {
    std::string found = option_names(command);
    if (is_choice(command.operands)) found += " " + joined(words_of(command.operands, '|'));
    text += "    '" + std::string(command.name) + "')\n      case \"$current\" in -*" +
            (is_choice(command.operands) ? " | *" : "") + ") COMPREPLY=($(compgen -W '" + found +
            "' -- \"$current\")) && return ;; esac ;;\n";
  }
  text += "  esac\n  COMPREPLY=($(compgen -f -- \"$current\"))\n}\n";
  return text;
}

// fish has the words of the command line in a list of its own.
std::string fish_script() {
  std::string text =
      "function __tenon_is\n"
      "  set -l words (commandline -opc)[2..]\n"
      "  set -l command (string match -v -- '-*' $words)\n"
      "  set -l typed (string join ' ' -- $command[1..(count $argv)])\n"
      "  test \"$typed\" = \"$argv\"\n"
      "end\n"
      "function __tenon_is_only\n"
      "  set -l words (commandline -opc)[2..]\n"
      "  test \"$words\" = \"$argv\"\n"
      "end\n";
  const auto quoted = [](std::string_view help) {
    std::string safe = "'";
    for (const char letter : help)
      safe.append(letter == '\'' ? "\\'" : std::string(1, letter));
    return safe + "'";
  };
  for (const std::string& beginning : beginnings()) {
    for (const std::string& word : next_words(beginning)) {
      std::string summary;
      for (const Command& command : commands()) {
        if (command.name == (beginning.empty() ? word : beginning + " " + word))
          summary = " -d " + quoted(command.summary);
      }
      text +=
          "complete -c tenon -f -n '__tenon_is_only " + beginning + "' -a " + word + summary + "\n";
    }
  }
  for (const Command& command : commands()) {
    const std::string when = " -n '__tenon_is " + std::string(command.name) + "'";
    for (const Option& option : options_of(command)) {
      text += "complete -c tenon" + when + " -l " + std::string(option.name.substr(2));
      if (is_choice(option.value))
        text += " -x -a '" + joined(words_of(option.value, '|')) + "'";
      else if (!option.value.empty())
        text += " -r";
      text += " -d " + quoted(option.help) + "\n";
    }
    if (!command.has_configuration) continue;
    for (const config::Key& key : config::keys())
      text += "complete -c tenon" + when + " -l " + config::flag_name(key).substr(2) + " -r -d " +
              quoted(key.description) + "\n";
  }
  return text;
}

}  // namespace

std::string completion_script(std::string_view shell) {
  if (shell == "bash") return bash_function() + "complete -F _tenon tenon\n";
  if (shell == "zsh")
    return "#compdef tenon\nautoload -U +X bashcompinit && bashcompinit\n" + bash_function() +
           "complete -F _tenon tenon\n";
  if (shell == "fish") return fish_script();
  return {};
}

}  // namespace tenon::app

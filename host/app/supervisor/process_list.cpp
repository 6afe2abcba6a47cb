#include "app/supervisor/process_list.hpp"

#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>

namespace tenon::app {

std::optional<ProcessFacts> facts_of_process(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  if (!std::getline(file, text, '\0')) return std::nullopt;
  // The name of the program may have any character, and ends with the last bracket.
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(text.substr(name_end + 1));
  ProcessFacts facts{.process = process};
  std::string field;
  constexpr int fields_before_parent = 1;
  constexpr int fields_before_started = 17;
  for (int i = 0; i < fields_before_parent; ++i)
    fields >> field;
  fields >> facts.parent;
  for (int i = 0; i < fields_before_started; ++i)
    fields >> field;
  fields >> facts.started;
  return fields ? std::optional(facts) : std::nullopt;
}

std::vector<ProcessFacts> processes() {
  std::vector<ProcessFacts> found;
  std::error_code failure;
  for (std::filesystem::directory_iterator at("/proc", failure), end; !failure && at != end;
       at.increment(failure)) {
    const std::string name = at->path().filename().string();
    pid_t process = 0;
    const auto [rest, error] = std::from_chars(name.data(), name.data() + name.size(), process);
    if (error != std::errc() || rest != name.data() + name.size()) continue;
    if (const auto facts = facts_of_process(process)) found.push_back(*facts);
  }
  return found;
}

}  // namespace tenon::app

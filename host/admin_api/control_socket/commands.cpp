#include "admin_api/control_socket/commands.hpp"

#include <stdexcept>
#include <utility>

#include "base/error.hpp"

namespace tenon::console {

void Commands::add(std::string name, Command command) {
  const auto [entry, is_new] = commands_.emplace(std::move(name), std::move(command));
  if (!is_new) throw std::logic_error("command " + entry->first + " is added twice");
}

std::string Commands::run(std::string_view name, std::string_view arguments) const {
  const auto found = commands_.find(name);
  if (found == commands_.end()) {
    throw base::Error(404, "console.unknown_command",
                      "There is no command \"" + std::string(name) +
                          "\". Are server and command line of one version?");
  }
  return found->second(arguments);
}

}  // namespace tenon::console

#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace tenon::console {

/// The actor of what an administrative command changes, in the audit log.
inline constexpr const char* local_actor = "local";

/// Administrative commands by name ("user.add"): what the command line runs, in its own process or,
/// over the control socket, in the server's. Filled before it is used; then run() is thread-safe
/// when the commands are.
class Commands {
 public:
  /// Takes one JSON object, returns one JSON text on one line. Throws base::Error for a refusal;
  /// may block.
  using Command = std::function<std::string(std::string_view arguments)>;

  /// A name that is there already is a std::logic_error.
  void add(std::string name, Command command);

  /// Throws base::Error 404 "console.unknown_command", or what the command throws.
  std::string run(std::string_view name, std::string_view arguments) const;

 private:
  std::map<std::string, Command, std::less<>> commands_;
};

}  // namespace tenon::console

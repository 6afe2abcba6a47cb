#include <cstdio>
#include <optional>
#include <string>

#include "admin_api/control_socket/control_socket.hpp"
#include "app/commands/arguments.hpp"
#include "app/commands/subcommands.hpp"
#include "base/error.hpp"
#include "config/load.hpp"

namespace tenon::app {

int openapi(const Arguments& given) {
  const config::Settings settings = config::load(config::process_sources(given.configuration));
  const std::optional<std::string> document = console::call_server(settings.data, "openapi", "{}");
  if (!document) {
    throw base::Error(503, "console.no_server",
                      "No server uses " + settings.data +
                          ". Which routes there are only active plugins know: start the server, "
                          "then ask again.");
  }
  std::fputs(document->c_str(), stdout);
  std::fputc('\n', stdout);
  return 0;
}

}  // namespace tenon::app

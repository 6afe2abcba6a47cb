#pragma once

#include <string>
#include <utility>
#include <vector>

#include "config/settings.hpp"

namespace tenon::config {

/// The sources of values, the strongest first: flags, environment, the file `tenon.conf` in the
/// data directory, defaults.
struct Sources {
  std::vector<std::string>
      arguments;  ///< after the subcommand: "--listen", "127.0.0.1:0", "--log=json" …
  std::vector<std::pair<std::string, std::string>>
      environment;                ///< all of it; only TENON_* is looked at
  std::string program_directory;  ///< of the running binary; defaults of `plugins` and `ui` are
                                  ///< relative to it
};

/// The environment and the binary of this process.
Sources process_sources(std::vector<std::string> arguments);

/// The data directory, absolute, without a look at anything else; for those who look at an
/// installation whose configuration is wrong. Throws 400 "config.usage" as load() does.
std::string data_directory(const Sources& sources);

/// Reads all layers and validates every value. Throws base::Error with
///   400 "config.usage"    a wrong flag (unknown, without its value, a stray argument): exit code
///   2; 422 "config.invalid"  anything wrong in environment or file: exit code 1.
/// The message has one line per mistake, each naming key, value, layer and what is expected (for an
/// unknown key: the nearest known).
Settings load(const Sources& sources);

}  // namespace tenon::config

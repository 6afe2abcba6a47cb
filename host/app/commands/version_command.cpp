#include <cstdio>

#include "app/commands/arguments.hpp"
#include "app/commands/subcommands.hpp"
#include "app/version.hpp"

namespace tenon::app {

int version(const Arguments& given) {
  if (given.has("--json")) {
    std::printf("{\"version\":\"%s\",\"abi\":{\"major\":%u,\"minor\":%u}}\n", host_version,
                abi_major, abi_minor);
  } else {
    std::printf("tenon %s (plugin ABI %u.%u)\n", host_version, abi_major, abi_minor);
  }
  return 0;
}

}  // namespace tenon::app

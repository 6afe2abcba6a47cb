#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <unistd.h>

#include "app/command_line.hpp"
#include "app/process_title.hpp"

// What plugins and libraries find in the place of the C library's. An exit() of another thread than
// the first one would destroy what the others work with: they would go on answering with texts
// that are gone, and make statements of them.
extern "C" [[gnu::visibility("default")]] void exit(int code) noexcept {
  if (::gettid() != ::getpid()) ::_exit(code);
  using Exit = void (*)(int);
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): what dlsym gives
  const auto real = reinterpret_cast<Exit>(::dlsym(RTLD_NEXT, "exit"));
  real(code);
  ::_exit(code);
}

int main(int count, char** arguments) {
  tenon::app::remember_command_line(count, arguments);
  try {
    return tenon::app::run(std::vector<std::string>(arguments + 1, arguments + count));
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "tenon: %s\n", failure.what());
    return 1;
  }
}

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "app/commands/command_line.hpp"
#include "app/supervisor/process_title.hpp"
#include "engines/register.hpp"

int main(int count, char** arguments) {
  tenon::app::remember_command_line(count, arguments);
  tenon::engines::register_all();
  try {
    return tenon::app::run(std::vector<std::string>(arguments + 1, arguments + count));
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "tenon: %s\n", failure.what());
    return 1;
  }
}

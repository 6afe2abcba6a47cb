#include "plugins/changes/data_file.hpp"

#include <filesystem>
#include <system_error>

#include "plugins/reason.hpp"

namespace tenon::plugins {

void remove_data_file(const std::string& file) {
  // The last two first: what is left of a restore would take the place of the file again.
  for (const char* end : {"-restore", "-restore.part", "", "-wal", "-shm", "-journal"}) {
    std::error_code failure;
    std::filesystem::remove(file + end, failure);
    if (failure) {
      throw Refusal({"plugins.data_not_removed",
                     "It cannot be removed: " + failure.message() + ".",
                     file + end,
                     {}},
                    500);
    }
  }
}

}  // namespace tenon::plugins

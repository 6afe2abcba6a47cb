#pragma once

#include <filesystem>
#include <string>

#include "base/error.hpp"
#include "base/ids.hpp"
#include "data/database.hpp"
#include "engines/tests/each_engine.hpp"
#include "jobs/schema.hpp"

namespace tenon::jobs::test {

inline constexpr std::int64_t minute = 60'000;
inline constexpr std::int64_t start = 1'767'225'600'000;  // 2026-01-01T00:00:00Z

/// A host's database in a folder of its own, with the room's tables.
class HostFile {
 public:
  HostFile()
      : folder_(std::filesystem::path(TENON_BINARY_DIR) / "tests" / ("jobs-" + base::new_id())) {
    std::filesystem::create_directories(folder_);
    database_ = std::make_unique<data::Database>(
        data::test::fresh_host_database((folder_ / "tenon.db").string()));
    prepare_tables(*database_);
  }
  ~HostFile() {
    database_.reset();
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  HostFile(const HostFile&) = delete;
  HostFile& operator=(const HostFile&) = delete;

  data::Database& database() { return *database_; }

 private:
  std::filesystem::path folder_;
  std::unique_ptr<data::Database> database_;
};

inline std::string code_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const base::Error& error) {
    return error.code();
  }
  return "none";
}

}  // namespace tenon::jobs::test

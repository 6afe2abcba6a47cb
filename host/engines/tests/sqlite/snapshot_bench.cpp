// Measures a snapshot of a file of 500 MB, compared with what SQLite has for it, and how long a
// writer waits meanwhile: data_snapshot_bench [folder]
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "data/database.hpp"
#include "data/snapshot/snapshot.hpp"

namespace {

namespace base = tenon::base;
namespace data = tenon::data;

constexpr int megabytes = 500;

void sync_file(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  ::fsync(file);
  ::close(file);
}

void backup(const std::string& from, const std::string& to) {
  sqlite3* source = nullptr;
  sqlite3* target = nullptr;
  sqlite3_open_v2(from.c_str(), &source, SQLITE_OPEN_READONLY, nullptr);
  sqlite3_open(to.c_str(), &target);
  sqlite3_backup* copy = sqlite3_backup_init(target, "main", source, "main");
  sqlite3_backup_step(copy, -1);
  sqlite3_backup_finish(copy);
  sqlite3_close(target);
  sqlite3_close(source);
}

void vacuum_into(const std::string& from, const std::string& to) {
  sqlite3* source = nullptr;
  sqlite3_open_v2(from.c_str(), &source, SQLITE_OPEN_READONLY, nullptr);
  sqlite3_exec(source, ("VACUUM INTO '" + to + "'").c_str(), nullptr, nullptr, nullptr);
  sqlite3_close(source);
  sync_file(to);
}

void write_plainly(const std::string& to) {
  const std::string piece(1024 * 1024, 'x');
  const int file = ::open(to.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  for (int i = 0; i < megabytes; ++i) {
    if (::write(file, piece.data(), piece.size()) < 0) std::perror("write");
  }
  ::fsync(file);
  ::close(file);
}

}  // namespace

int main(int count, char** arguments) {
  const std::filesystem::path folder =
      count > 1 ? arguments[1]
                : std::filesystem::path(TENON_BINARY_DIR) / "tests" / "snapshot-bench";
  std::filesystem::create_directories(folder);
  data::DatabaseOptions options;
  options.path = folder / "plugin.db";
  options.confinement = data::Confinement::host();
  data::Database database(options);
  database.exec("CREATE TABLE items (id INTEGER PRIMARY KEY, text TEXT)");
  for (int i = 0; i < megabytes; ++i) {
    database.exec(
        "INSERT INTO items (text) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
        "WHERE i < 1000) SELECT hex(randomblob(500)) FROM n");
  }

  std::atomic<bool> is_done{false};
  std::atomic<std::int64_t> max_write{0};
  std::thread writer([&] {
    while (!is_done) {
      const std::int64_t begin = base::monotonic_nanoseconds();
      database.exec(
          "UPDATE items SET text = hex(randomblob(500)) WHERE id = abs(random()) % 100000");
      const std::int64_t took = base::monotonic_nanoseconds() - begin;
      if (took > max_write) max_write = took;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  });
  const std::string to = folder / "copy.db";
  const auto measure = [&](const char* name, const std::function<void()>& work) {
    std::filesystem::remove(to);
    max_write = 0;
    const std::int64_t begin = base::monotonic_nanoseconds();
    work();
    const double seconds = static_cast<double>(base::monotonic_nanoseconds() - begin) / 1e9;
    const double size = static_cast<double>(std::filesystem::file_size(to)) / 1e6;
    std::printf("%-16s %6.0f MB %6.2f s %6.0f MB/s, a write took %.0f ms at most\n", name, size,
                seconds, size / seconds, static_cast<double>(max_write) / 1e6);
    std::fflush(stdout);
  };
  for (int round = 0; round < 3; ++round) {
    measure("plain write", [&] { write_plainly(to); });
    measure("snapshot", [&] { data::snapshot(database, to); });
    measure("sqlite3_backup", [&] { backup(options.path, to); });
    measure("VACUUM INTO", [&] { vacuum_into(options.path, to); });
  }
  is_done = true;
  writer.join();
  database.close();
  std::filesystem::remove_all(folder);
}

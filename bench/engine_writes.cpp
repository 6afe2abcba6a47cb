// The creates without HTTP and without a plugin: the very writes of the route into the engine.
// WRITERS are in flight, each queued again as soon as it is on disk; a lone one is a thread that
// waits for each write. Usage: tenon-bench-engine-writes FILE TABLES.JSON WRITERS SECONDS →
// {"writes_per_second","worst_ms"}

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <thread>

#include "base/clock.hpp"
#include "base/ids.hpp"
#include "data/database.hpp"
#include "data/migrate/migrate.hpp"
#include "schema/tables.hpp"

namespace {

using tenon::data::Database;

struct Load {
  Database& database;
  std::atomic<bool> is_finished{false};
  std::atomic<int> in_flight{0};
  std::atomic<long> written{0};
  std::atomic<std::int64_t> worst{0};

  /// One thread at a time: a write that began then is done.
  void note(std::int64_t begin) {
    written.fetch_add(1, std::memory_order_relaxed);
    const std::int64_t took = tenon::base::monotonic_nanoseconds() - begin;
    if (took > worst.load(std::memory_order_relaxed)) worst.store(took, std::memory_order_relaxed);
  }
};

constexpr const char* insert = "INSERT INTO records (id, title, body, created) VALUES (?, ?, ?, ?)";
constexpr const char* title = "A record of the usual length";
constexpr const char* created = "2026-01-01T00:00:00.000Z";
const std::string body(200, 'x');

class Create final : public tenon::data::QueuedWrite {
 public:
  explicit Create(Load& load) : load_(load) {}

  static void queue(Load& load) { load.database.queue(std::make_unique<Create>(load)); }

  void work(tenon::data::Transaction& transaction) override {
    transaction.exec(insert, {id_, title, body, created});
  }
  void done(std::exception_ptr failure) noexcept override {
    if (failure) {
      std::fputs("a write failed\n", stderr);
      std::exit(1);
    }
    load_.note(begin_);
    if (!load_.is_finished.load(std::memory_order_relaxed)) return queue(load_);
    load_.in_flight.fetch_sub(1, std::memory_order_release);
    load_.in_flight.notify_all();
  }

 private:
  Load& load_;
  const std::string id_ = tenon::base::new_id();
  const std::int64_t begin_ = tenon::base::monotonic_nanoseconds();
};

int run(char** arguments) {
  std::ifstream file(arguments[2], std::ios::binary);
  const std::string tables((std::istreambuf_iterator<char>(file)),
                           std::istreambuf_iterator<char>());
  tenon::data::DatabaseOptions options;
  options.path = arguments[1];
  Database database(options);
  tenon::data::apply(database, {"bench", "0.1.0", tenon::data::schema::parse_tables(tables), {}});

  Load load{database};
  load.in_flight = std::atoi(arguments[3]);
  const std::int64_t begin = tenon::base::monotonic_nanoseconds();
  const std::chrono::seconds length(std::atoi(arguments[4]));
  if (load.in_flight == 1) {
    const std::int64_t end = begin + std::chrono::nanoseconds(length).count();
    for (std::int64_t now = begin; now < end; now = tenon::base::monotonic_nanoseconds()) {
      database.exec(insert, {tenon::base::new_id(), title, body, created});
      load.note(now);
    }
    load.in_flight = 0;
  } else {
    for (int writer = load.in_flight; writer > 0; --writer)
      Create::queue(load);
    std::this_thread::sleep_for(length);
  }
  const long written = load.written.load();
  const auto took = static_cast<double>(tenon::base::monotonic_nanoseconds() - begin) / 1e9;
  load.is_finished = true;
  for (int left = load.in_flight; left != 0; left = load.in_flight)
    load.in_flight.wait(left);
  database.close();
  std::printf("{\"writes_per_second\":%.1f,\"worst_ms\":%.3f}\n",
              static_cast<double>(written) / took, static_cast<double>(load.worst) / 1e6);
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 5) {
    std::fputs("usage: tenon-bench-engine-writes FILE TABLES.JSON WRITERS SECONDS\n", stderr);
    return 2;
  }
  try {
    return run(arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

// The other side of the write benchmark: SQLite as everybody uses it, a connection a thread, one
// transaction a write, or BATCH writes to a transaction, which is the limit of who collects them.
// Usage: tenon-bench-plain-writes FILE WRITERS SECONDS [BATCH] → {"writes_per_second","worst_ms"}

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <sqlite3.h>

namespace {

using Clock = std::chrono::steady_clock;

// The table that Tenon creates for `records` in bench/plugin/tables.json.
constexpr const char* table = R"(CREATE TABLE IF NOT EXISTS "records" (
  "rowid" INTEGER PRIMARY KEY,
  "id" TEXT NOT NULL UNIQUE CONSTRAINT "id" CHECK (length("id") = 36),
  "title" TEXT NOT NULL,
  "body" TEXT,
  "created" TEXT NOT NULL CONSTRAINT "created" CHECK ("created" GLOB
    '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9].[0-9][0-9][0-9]Z'
    AND "created" IS strftime('%Y-%m-%dT%H:%M:%fZ', "created", '+0 days'))
) STRICT)";

void check(int code, sqlite3* database) {
  if (code == SQLITE_OK || code == SQLITE_DONE) return;
  std::fprintf(stderr, "sqlite: %s\n", sqlite3_errmsg(database));
  std::exit(1);
}

void run(sqlite3* database, const char* sql) {
  check(sqlite3_exec(database, sql, nullptr, nullptr, nullptr), database);
}

sqlite3* open_file(const char* path) {
  sqlite3* database = nullptr;
  check(sqlite3_open(path, &database), database);
  sqlite3_busy_timeout(database, 60'000);
  run(database, "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;");
  return database;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4 && count != 5) {
    std::fputs("usage: tenon-bench-plain-writes FILE WRITERS SECONDS [BATCH]\n", stderr);
    return 2;
  }
  const int writers = std::atoi(arguments[2]);
  const auto length = std::chrono::seconds(std::atoi(arguments[3]));
  const long batch = count == 5 ? std::atol(arguments[4]) : 1;
  sqlite3* setup = open_file(arguments[1]);
  run(setup, table);

  std::atomic<bool> stop{false};
  std::atomic<long> written{0};
  std::atomic<long> worst_us{0};
  std::vector<std::thread> threads;
  for (int writer = 0; writer < writers; ++writer) {
    threads.emplace_back([&, writer] {
      sqlite3* database = open_file(arguments[1]);
      sqlite3_stmt* insert = nullptr;
      check(sqlite3_prepare_v2(database,
                               "INSERT INTO records (id, title, body, created) VALUES (?, ?, ?, ?)",
                               -1, &insert, nullptr),
            database);
      const std::string body(200, 'x');
      for (long number = 0; !stop.load(std::memory_order_relaxed); ++number) {
        if (batch > 1 && number % batch == 0) run(database, "BEGIN IMMEDIATE");
        const auto begin = Clock::now();
        char id[48];
        std::snprintf(id, sizeof id, "%016llx-%08x-%010ld",
                      static_cast<unsigned long long>(begin.time_since_epoch().count()), writer,
                      number % 10'000'000'000);
        sqlite3_bind_text(insert, 1, id, 36, SQLITE_STATIC);
        sqlite3_bind_text(insert, 2, "A record of the usual length", -1, SQLITE_STATIC);
        sqlite3_bind_text(insert, 3, body.data(), static_cast<int>(body.size()), SQLITE_STATIC);
        sqlite3_bind_text(insert, 4, "2026-01-01T00:00:00.000Z", -1, SQLITE_STATIC);
        const int code = sqlite3_step(insert);
        if (code != SQLITE_DONE) check(code, database);
        sqlite3_reset(insert);
        if (batch > 1) {
          if (number % batch != batch - 1) continue;
          run(database, "COMMIT");
        }
        const long took =
            std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin).count();
        written.fetch_add(batch, std::memory_order_relaxed);
        long seen = worst_us.load(std::memory_order_relaxed);
        while (took > seen && !worst_us.compare_exchange_weak(seen, took)) {
        }
      }
      sqlite3_finalize(insert);
      sqlite3_close(database);
    });
  }
  const auto begin = Clock::now();
  std::this_thread::sleep_for(length);
  stop = true;
  const long counted = written.load();
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  for (auto& thread : threads)
    thread.join();
  sqlite3_close(setup);
  std::printf("{\"writes_per_second\":%.1f,\"worst_ms\":%.3f}\n",
              static_cast<double>(counted) / seconds,
              static_cast<double>(worst_us.load()) / 1000.0);
  return 0;
}

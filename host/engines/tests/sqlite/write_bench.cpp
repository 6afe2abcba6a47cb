// Durable inserts and reads of one record, grouped and not, compared with bare SQLite on the same
// disk. Not run by ctest: ninja tenon_data_bench && build/release/tests/data_bench [folder]

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <sqlite3.h>

#include "base/clock.hpp"
#include "base/ids.hpp"
#include "data/database.hpp"

namespace {

using tenon::data::Database;
using tenon::data::DatabaseOptions;
using tenon::data::Mode;
using tenon::data::Transaction;

constexpr int rounds = 5;
constexpr int clients = 64;
constexpr double seconds = 1.0;

constexpr const char* create =
    "CREATE TABLE tasks (rowid INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, title TEXT, state "
    "TEXT, done INTEGER, body TEXT) STRICT";
constexpr const char* insert =
    "INSERT INTO tasks (id, title, state, done, body) VALUES (?1, ?2, ?3, ?4, ?5)";
constexpr const char* select = "SELECT id, title, state, done, body FROM tasks WHERE id = ?1";
const std::string body(200, 'b');

struct Figure {
  double per_second = 0;
  double worst_ms = 0;
};

// Runs `work(thread)` on `threads` threads for a while; calls a second and the slowest call.
Figure measure(int threads, const std::function<void(int)>& work) {
  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> calls{0};
  std::atomic<std::int64_t> worst{0};
  std::vector<std::thread> running;
  const std::int64_t start = tenon::base::monotonic_nanoseconds();
  for (int t = 0; t < threads; ++t) {
    running.emplace_back([&, t] {
      std::int64_t slowest = 0;
      std::uint64_t count = 0;
      while (!stop.load(std::memory_order_relaxed)) {
        const std::int64_t before = tenon::base::monotonic_nanoseconds();
        work(t);
        slowest = std::max(slowest, tenon::base::monotonic_nanoseconds() - before);
        ++count;
      }
      calls += count;
      std::int64_t seen = worst;
      while (slowest > seen && !worst.compare_exchange_weak(seen, slowest)) {
      }
    });
  }
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  stop = true;
  for (auto& thread : running)
    thread.join();
  const double elapsed = static_cast<double>(tenon::base::monotonic_nanoseconds() - start) / 1e9;
  return {static_cast<double>(calls) / elapsed, static_cast<double>(worst) / 1e6};
}

// SQLite as a careful program uses it: one connection, statements prepared once, a mutex around it.
class Plain {
 public:
  explicit Plain(const std::string& path) {
    sqlite3_open_v2(path.c_str(), &db_,
                    SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
    sqlite3_exec(db_,
                 "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON",
                 nullptr, nullptr, nullptr);
    sqlite3_exec(db_, create, nullptr, nullptr, nullptr);
    for (const char* sql : {"BEGIN IMMEDIATE", "COMMIT", insert, select}) {
      sqlite3_stmt* statement = nullptr;
      sqlite3_prepare_v3(db_, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
      statements_.push_back(statement);
    }
  }
  ~Plain() {
    for (auto* statement : statements_)
      sqlite3_finalize(statement);
    sqlite3_close(db_);
  }
  Plain(const Plain&) = delete;
  Plain& operator=(const Plain&) = delete;

  void write(int count) {
    const std::lock_guard lock(mutex_);
    run(0);
    for (int i = 0; i < count; ++i) {
      sqlite3_stmt* statement = statements_[2];
      const std::string id = tenon::base::new_id();
      bind(statement, 1, id);
      bind(statement, 2, "a title");
      bind(statement, 3, "open");
      sqlite3_bind_int64(statement, 4, 0);
      bind(statement, 5, body);
      run(2);
    }
    run(1);
  }
  std::size_t read(const std::string& id) {
    const std::lock_guard lock(mutex_);
    sqlite3_stmt* statement = statements_[3];
    bind(statement, 1, id);
    std::size_t size = 0;
    while (sqlite3_step(statement) == SQLITE_ROW) {
      for (int i = 0; i < 5; ++i) {
        sqlite3_column_text(statement, i);
        size += static_cast<std::size_t>(sqlite3_column_bytes(statement, i));
      }
    }
    sqlite3_reset(statement);
    return size;
  }

 private:
  static void bind(sqlite3_stmt* statement, int index, const std::string& text) {
    sqlite3_bind_text(statement, index, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
  }
  void run(std::size_t index) {
    if (sqlite3_step(statements_[index]) != SQLITE_DONE) std::abort();
    sqlite3_reset(statements_[index]);
  }

  sqlite3* db_ = nullptr;
  std::vector<sqlite3_stmt*> statements_;
  std::mutex mutex_;
};

void insert_one(Transaction& transaction) {
  const std::string id = tenon::base::new_id();
  transaction.exec(insert, {id, "a title", "open", 0, body});
}

/// Counts the writes that are queued and not done yet.
struct InFlight {
  std::atomic<int> count{0};
  std::atomic<std::int64_t> worst{0};
};

class QueuedInsert final : public tenon::data::QueuedWrite {
 public:
  explicit QueuedInsert(InFlight& in_flight) : in_flight_(in_flight) {}
  void work(Transaction& transaction) override { insert_one(transaction); }
  void done(std::exception_ptr error) noexcept override {
    if (error) std::abort();
    const std::int64_t took = tenon::base::monotonic_nanoseconds() - begin_;
    if (took > in_flight_.worst) in_flight_.worst = took;
    in_flight_.count.fetch_sub(1);
    in_flight_.count.notify_one();
  }

 private:
  InFlight& in_flight_;
  std::int64_t begin_ = tenon::base::monotonic_nanoseconds();
};

class Bench {
 public:
  explicit Bench(std::filesystem::path folder) : folder_(std::move(folder)) {}

  void run() {
    for (int round = 0; round < rounds; ++round) {
      for (const bool is_concurrent : {true, false})
        writes(is_concurrent ? clients : 1);
      reads();
    }
    std::printf("%-44s %12s %10s\n", "median of 5 interleaved rounds", "calls/s", "worst ms");
    for (const auto& name : order_) {
      std::printf("%-44s %12.0f %10.1f\n", name.c_str(), median(name, &Figure::per_second),
                  median(name, &Figure::worst_ms));
    }
    const auto ratio = [&](const char* label, const std::string& a, const std::string& b) {
      std::printf("%-44s %12.2f\n", label,
                  median(a, &Figure::per_second) / median(b, &Figure::per_second));
    };
    std::printf("\nratios\n");
    ratio("64 grouped jobs / own transaction each", "64 x write(job)",
          "64 x plain, own transaction");
    ratio("64 queued by one thread / own transaction", "64 queued, a thread",
          "64 x plain, own transaction");
    ratio("64 grouped begin..commit / own transaction", "64 x begin, exec, commit",
          "64 x plain, own transaction");
    ratio("64 grouped jobs / batched limit", "64 x write(job)",
          "1 x plain, 64 a commit, per insert");
    ratio("64 queued by one thread / batched limit", "64 queued, a thread",
          "1 x plain, 64 a commit, per insert");
    ratio("lone job / plain", "1 x write(job)", "1 x plain, own transaction");
    ratio("lone begin..commit / plain", "1 x begin, exec, commit", "1 x plain, own transaction");
    ratio("get one / plain", "1 x query by id", "1 x plain, query by id");
    ratio("get one, 2 threads / 1", "2 x query by id", "1 x query by id");
    std::printf("average group of 64 jobs: %.1f\n", group_);
  }

 private:
  void note(const std::string& name, Figure figure) {
    if (!figures_.contains(name)) order_.push_back(name);
    figures_[name].push_back(figure);
  }
  double median(const std::string& name, double Figure::*what) {
    std::vector<double> values;
    for (const auto& figure : figures_[name])
      values.push_back(figure.*what);
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
  }
  std::string fresh(const std::string& name) {
    for (const char* part : {"", "-wal", "-shm"})
      std::filesystem::remove(folder_ / (name + part));
    return (folder_ / name).string();
  }
  static DatabaseOptions options(const std::string& path) {
    DatabaseOptions options;
    options.path = path;
    options.confinement = tenon::data::Confinement::host();
    return options;
  }

  void writes(int threads) {
    const std::string prefix = std::to_string(threads) + " x ";
    {
      Plain plain(fresh("plain.db"));
      note(prefix + "plain, own transaction", measure(threads, [&](int) { plain.write(1); }));
    }
    {
      Database database(options(fresh("jobs.db")));
      database.exec(create);
      note(prefix + "write(job)", measure(threads, [&](int) { database.write(insert_one); }));
      const auto statistics = database.statistics();
      if (threads > 1)
        group_ = static_cast<double>(statistics.writes) / static_cast<double>(statistics.groups);
    }
    {
      Database database(options(fresh("interactive.db")));
      database.exec(create);
      note(prefix + "begin, exec, commit", measure(threads, [&](int) {
             auto transaction = database.begin(Mode::write);
             insert_one(transaction);
             transaction.commit();
           }));
    }
    if (threads > 1) {
      Database database(options(fresh("queued.db")));
      database.exec(create);
      InFlight in_flight;
      Figure figure = measure(1, [&](int) {
        for (int now = in_flight.count; now >= clients; now = in_flight.count)
          in_flight.count.wait(now);
        in_flight.count.fetch_add(1);
        database.queue(std::make_unique<QueuedInsert>(in_flight));
      });
      for (int now = in_flight.count; now != 0; now = in_flight.count)
        in_flight.count.wait(now);
      database.close();
      figure.worst_ms = static_cast<double>(in_flight.worst) / 1e6;
      note("64 queued, a thread", figure);
    }
    if (threads == 1) {
      Plain plain(fresh("plain.db"));
      auto figure = measure(1, [&](int) { plain.write(clients); });
      figure.per_second *= clients;
      note("1 x plain, 64 a commit, per insert", figure);
    }
  }

  void reads() {
    const auto path = fresh("reads.db");
    std::vector<std::string> ids;
    {
      Database database(options(path));
      database.exec(create);
      database.write([&](Transaction& transaction) {
        for (int i = 0; i < 10'000; ++i) {
          ids.push_back(tenon::base::new_id());
          transaction.exec(insert, {ids.back(), "a title", "open", 0, body});
        }
      });
    }
    std::atomic<std::size_t> sink{0};
    {
      Plain plain(path);
      std::size_t next = 0;
      note("1 x plain, query by id",
           measure(1, [&](int) { sink += plain.read(ids[next++ % ids.size()]); }));
    }
    Database database(options(path));
    for (const int threads : {1, 2}) {
      std::vector<std::size_t> next(static_cast<std::size_t>(threads) * 64);
      note(std::to_string(threads) + " x query by id", measure(threads, [&](int t) {
             auto& at = next[static_cast<std::size_t>(t) * 64];
             auto rows = database.query(select, {ids[at++ % ids.size()]});
             std::size_t size = 0;
             while (rows.next()) {
               for (int i = 0; i < 5; ++i)
                 size += rows.text(i).size();
             }
             sink += size;
           }));
    }
  }

  std::filesystem::path folder_;
  std::map<std::string, std::vector<Figure>> figures_;
  std::vector<std::string> order_;
  double group_ = 0;
};

}  // namespace

int main(int count, char** arguments) {
  const std::filesystem::path folder =
      count > 1 ? arguments[1] : std::filesystem::path(TENON_BINARY_DIR) / "tests" / "data-bench";
  std::filesystem::create_directories(folder);
  Bench(folder).run();
  std::filesystem::remove_all(folder);
}

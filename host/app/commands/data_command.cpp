#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <unistd.h>

#include "app/commands/arguments.hpp"
#include "app/commands/command_line.hpp"
#include "app/commands/subcommands.hpp"
#include "app/server/binding.hpp"
#include "app/server/data_directory.hpp"
#include "app/server/host_storage.hpp"
#include "base/error.hpp"
#include "config/load.hpp"
#include "data/sql_error.hpp"
#include "data_copy/data_copy.hpp"
#include "postgresql/client/server.hpp"
#include "postgresql/client/server_check.hpp"
#include "postgresql/roles/host_lock.hpp"

namespace tenon::app {

namespace {

using data::copying::Progress;
namespace pg = data::postgresql;

bool is_url(const std::string& location) {
  return location.starts_with("postgresql://") || location.starts_with("postgres://");
}

std::string absolute(const std::string& folder) {
  std::string path = std::filesystem::absolute(folder).lexically_normal().string();
  while (path.size() > 1 && path.ends_with('/'))
    path.pop_back();
  return path;
}

base::Error refused(const std::string& code, const std::string& message) {
  return {409, code, message};
}

// A line a table; on a terminal also one that changes while a table is on its way.
class Terminal {
 public:
  void show(std::string_view database, const Progress& progress) {
    const auto now = std::chrono::steady_clock::now();
    const bool is_new = table_ != std::string(database) + "." + std::string(progress.table) ||
                        work_ != progress.work;
    if (is_new) {
      table_ = std::string(database) + "." + std::string(progress.table);
      work_ = progress.work;
      begun_ = now;
      first_ = progress.is_finished ? 0 : progress.rows;
    }
    if (!progress.is_finished && !is_terminal_) return;
    const double seconds = std::chrono::duration<double>(now - begun_).count();
    std::string rate;
    if (seconds > 0.5)
      rate = ", " +
             std::to_string(
                 static_cast<std::int64_t>(static_cast<double>(progress.rows - first_) / seconds)) +
             " rows/s";
    std::fprintf(stderr, "%s%s %s: %lld of %lld rows%s%s", is_terminal_ ? "\r\x1b[K" : "",
                 work_ == Progress::Work::copying ? "copied" : "compared", table_.c_str(),
                 static_cast<long long>(progress.rows), static_cast<long long>(progress.of),
                 rate.c_str(), progress.is_finished ? "\n" : "");
    std::fflush(stderr);
  }

 private:
  const bool is_terminal_ = isatty(STDERR_FILENO) != 0;
  std::string table_;
  Progress::Work work_ = Progress::Work::copying;
  std::chrono::steady_clock::time_point begun_;
  std::int64_t first_ = 0;
};

console::DataCopy read_move(const Arguments& given, config::Settings& settings) {
  const std::string from = given.value("--from");
  const std::string to = given.value("--to");
  if (from.empty() || to.empty()) throw UsageError("needs --from DATABASE and --to DATABASE");
  console::DataCopy move;
  std::vector<std::string> configuration = given.configuration;
  if (is_url(from)) move.from = from;
  if (is_url(to)) move.to = to;
  if (move.from.empty() && move.to.empty()) {
    throw UsageError(
        "both are folders; copy the folder itself (cp -a) while no server uses it, or name a "
        "database as postgresql://…");
  }
  if (move.from.empty() || move.to.empty()) {
    const std::string folder = absolute(move.from.empty() ? from : to);
    for (std::size_t i = 0; i + 1 < configuration.size(); i += 2) {
      if (configuration[i] == "--data" && absolute(configuration[i + 1]) != folder)
        throw UsageError("omit --data: --from or --to names the data directory");
    }
    configuration.insert(configuration.end(), {"--data", folder});
  }
  settings = config::load(config::process_sources(configuration));
  move.data = settings.data;
  move.plugins = settings.plugins;
  return move;
}

// True where a copy into the folder came to its very end, and servers may have used it since.
bool has_ended_in_folder(const console::DataCopy& move) {
  return move.to.empty() && !is_bound(move.data) && !is_being_copied_into(move.data) &&
         console::is_copy_complete(move);
}

std::string installation_of(const std::string& url) {
  return url.empty() ? std::string() : pg::Server(url).installation().id;
}

void require_two_databases(const console::DataCopy& move) {
  if (move.from.empty() || move.to.empty()) return;
  const std::string from = installation_of(move.from);
  if (move.from == move.to || (!from.empty() && from == installation_of(move.to)))
    throw refused("data.copy_refused", "Source and target are the same database.");
}

// Checks that the binding of the directory fits the copy, also one that was interrupted at its end.
void check_binding(const console::DataCopy& move) {
  const std::string bound = bound_database(move.data);
  const std::string from = installation_of(move.from);
  const std::string to = installation_of(move.to);
  const bool fits = bound == from || (!to.empty() && bound == to) ||
                    (move.to.empty() && bound.empty() && is_being_copied_into(move.data));
  if (fits) return;
  if (move.from.empty()) {
    throw refused("app.data_of_another_engine",
                  "The data directory " + move.data +
                      " belongs to another database of PostgreSQL (its file `database` says so); "
                      "its files of SQLite are out of use.");
  }
  throw refused("app.data_of_another_engine",
                "The data directory " + move.data + " does not belong to " +
                    pg::shown_url(move.from) +
                    ": files of plugins would be missing. Name the directory that a server has "
                    "used with this database, or a copy of it.");
}

void require_directory(const console::DataCopy& move) {
  if (std::filesystem::is_directory(move.data)) return;
  throw refused("data.copy_refused",
                "There is no data directory " + move.data + "; its files of plugins are needed.");
}

std::string what_next(const console::DataCopy& move) {
  if (move.to.empty()) {
    return "Start the server without --database:\n  tenon serve --data " + move.data +
           "\nThe database in PostgreSQL is as it was; drop it when you no longer need it.\n";
  }
  std::string text =
      "Start the server with the new database (TENON_DATABASE, or `database` in "
      "tenon.conf):\n  tenon serve --data " +
      move.data + " --database " + pg::shown_url(move.to) + "\n";
  if (move.from.empty()) {
    text +=
        "The files of SQLite (*.db) in there are as they were, and out of use; take them away when "
        "you no longer need them.\n";
  }
  return text;
}

// Binds the directory to where its rows are now.
void bind(const console::DataCopy& move) {
  if (!move.to.empty()) bind_to_database(move.data, pg::Server(move.to).installation().id);
}

int print_report(const console::CopyReport& report, bool as_json) {
  std::fputs(as_json ? (report.json() + "\n").c_str() : report.text().c_str(), stdout);
  if (report.is_equal()) return exit_done;
  std::fputs(
      "tenon: source and target differ, so the copy stays unfinished. One of them was changed "
      "meanwhile. Empty the target and copy again.\n",
      stderr);
  return exit_refused;
}

// The last step: a server may start on the target now.
void end(const console::DataCopy& move) {
  if (!move.to.empty()) return;
  if (is_bound(move.data)) unbind_from_database(move.data);
  mark_being_copied_into(move.data, false);
}

// Completes a copy that was interrupted at its very end, with a complete target. Data written on
// either side since the copy is never taken for a part of it.
int end_again(const console::DataCopy& move, bool has_ended, bool as_json) {
  if (has_ended) {
    // Nothing is left.
  } else if (move.to.empty()) {
    const auto report = console::check_copy(move);
    if (const int code = print_report(report, as_json); code != exit_done) return code;
    end(move);
  } else if (bound_database(move.data) != pg::Server(move.to).installation().id) {
    throw refused("data.copy_refused",
                  "The target holds a copy that was complete before. Empty it to copy again.");
  }
  if (!as_json) std::fputs(("This copy was complete already.\n" + what_next(move)).c_str(), stdout);
  return exit_done;
}

// The lock of a command that was killed goes a moment after it.
std::unique_ptr<pg::HostLock> lock_database_with_retries(const std::string& url) {
  constexpr int tries = 30;
  constexpr std::chrono::milliseconds pause{100};
  for (int i = 1;; ++i) {
    try {
      return lock_database(url);
    } catch (const base::Error& error) {
      if (error.code() != "data.in_use" || i == tries) throw;
    }
    std::this_thread::sleep_for(pause);
  }
}

int run_move(console::DataCopy move, const Arguments& given) {
  require_directory(move);
  const DataDirectory directory(move.data);
  require_two_databases(move);
  std::vector<std::unique_ptr<pg::HostLock>> claims;
  for (const std::string& url : {move.from, move.to}) {
    if (!url.empty()) claims.push_back(lock_database_with_retries(url));
  }
  const bool has_ended = has_ended_in_folder(move);
  if (!has_ended) check_binding(move);
  const bool as_json = given.has("--json");
  Terminal terminal;
  move.watch = [&](std::string_view database, const Progress& progress) {
    terminal.show(database, progress);
  };
  if (given.has("--check")) {
    const auto report = console::check_copy(move);
    std::fputs(as_json ? (report.json() + "\n").c_str() : report.text().c_str(), stdout);
    if (!report.is_equal()) std::fputs("tenon: source and target differ.\n", stderr);
    return report.is_equal() ? exit_done : exit_refused;
  }
  if (has_ended || console::is_copy_complete(move)) return end_again(move, has_ended, as_json);
  move.begin = [&] {
    if (move.to.empty()) mark_being_copied_into(move.data, true);
  };
  move.bind = [&] { bind(move); };
  const auto report = console::copy_installation(move);
  if (const int code = print_report(report, as_json); code != exit_done) return code;
  end(move);
  if (!as_json) std::fputs(("The copy is complete.\n" + what_next(move)).c_str(), stdout);
  return exit_done;
}

}  // namespace

int copy_data(const Arguments& given) {
  config::Settings settings;
  console::DataCopy move = read_move(given, settings);
  try {
    return run_move(std::move(move), given);
  } catch (const data::SqlError& error) {
    throw base::Error(
        error.status(), error.code(),
        error.message() + (error.detail().empty() ? "" : " (" + error.detail() + ")"));
  }
}

}  // namespace tenon::app

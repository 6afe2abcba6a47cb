#include "data_copy/data_copy.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "blobs/schema.hpp"
#include "bridge/tables/host_made_tables.hpp"
#include "data/database.hpp"
#include "data/sql_error.hpp"
#include "data_copy/databases.hpp"
#include "identity/schema.hpp"
#include "jobs/schema.hpp"
#include "lifecycle/host_tables.hpp"

namespace tenon::console {

namespace {

namespace copying = data::copying;

constexpr std::string_view source_note = "source";

copying::Watch watch_of(const DataCopy& move, const std::string& database) {
  return [&move, database](const copying::Progress& progress) {
    if (move.watch) move.watch(database, progress);
  };
}

// Runs `work` and adds the database, and the detail, to the errors of an engine, which have neither
// in public.
template <typename Work>
void in_part(const DatabaseRef& part, Work&& work) {
  try {
    std::forward<Work>(work)();
  } catch (const data::SqlError& error) {
    const bool has_detail = error.message().find(error.detail()) != std::string::npos;
    throw base::Error(
        error.status(), error.code(),
        part.name + ": " + error.message() + (has_detail ? "" : " (" + error.detail() + ")"));
  } catch (const base::Error& error) {
    throw base::Error(error.status(), error.code(), part.name + ": " + error.message(),
                      error.fields());
  }
}

// A target may hold only the data of a copy of the same source.
void check_target(const DataCopy& move, const std::vector<DatabaseRef>& parts) {
  const auto names = databases_of_target(move);
  const DatabaseRef& host = parts.front();
  const auto target = look_at_target(move, host);
  const std::string source = target ? target->copy_state(source_note) : std::string();
  if (!source.empty() && source != identity_of_source(move)) {
    throw move_refused("The target holds a copy of another installation (" + source +
                       "). Name an empty one.");
  }
  for (const std::string& name : names) {
    const bool is_known = std::any_of(parts.begin(), parts.end(),
                                      [&](const DatabaseRef& part) { return part.name == name; });
    const DatabaseRef part{name, name == host.name
                                     ? std::nullopt
                                     : std::optional<data::Declaration>(data::Declaration{})};
    const auto side = look_at_target(move, part);
    if (is_known && side && side->has_copy_state()) continue;
    throw move_refused("The target is not empty: it has data of " +
                       (name == host.name ? "a server" : "the plugin " + name) +
                       " already. Name an empty database, or move the files of SQLite (*.db, "
                       "*.db-wal, *.db-shm) out of the data directory.");
  }
}

void make_host_tables(const DataCopy& move, const DatabaseRef& part) {
  data::Database database(target_options(move, part));
  identity::prepare_tables(database);
  jobs::prepare_tables(database);
  blobs::make_tables(database);
  plugins::make_host_tables(database);
}

void make_plugin_tables(const DataCopy& move, const DatabaseRef& part,
                        copying::CopySource& source) {
  {
    data::Database database(target_options(move, part));
    data::apply(database, *part.declaration);
  }
  const auto target = open_target(move, part);
  const auto has = [](const std::vector<copying::Table>& tables, const std::string& name) {
    return std::any_of(tables.begin(), tables.end(),
                       [&](const copying::Table& one) { return one.name == name; });
  };
  const auto from = source.tables();
  const auto to = target->tables();
  const auto engine = move.to.empty() ? data::Dialect::sqlite : data::Dialect::postgresql;
  for (const plugins::HostMadeTable& table : plugins::host_made_tables(engine)) {
    if (has(from, table.name) && !has(to, table.name)) target->make(table.statements);
  }
}

// Makes the tables of a part in the target; nothing is copied before all of them are there.
void make_tables(const DataCopy& move, const DatabaseRef& part) {
  const auto source = open_source(move, part);
  {
    const auto target = open_target(move, part);
    target->create_copy_state();
    if (copying::is_prepared(*target)) return;
  }
  if (part.declaration) {
    make_plugin_tables(move, part, *source);
  } else {
    make_host_tables(move, part);
  }
  const auto target = open_target(move, part);
  if (!part.declaration && source->migrations() != target->migrations()) {
    throw move_refused(
        "The source was written by another version of the server. Start and stop this one on it "
        "once, then run the same command again.");
  }
  copying::check_tables(*source, *target);
}

CopyReport compare(const DataCopy& move, const std::vector<DatabaseRef>& parts) {
  CopyReport report;
  for (const DatabaseRef& part : parts) {
    const auto source = open_source(move, part);
    const auto target = look_at_target(move, part);
    if (!target) throw move_refused("The target has no data of " + part.name + ".");
    in_part(part, [&] {
      report.databases.push_back(
          {part.name, copying::compare_rows(*source, *target, watch_of(move, part.name))});
    });
  }
  return report;
}

}  // namespace

bool is_copy_complete(const DataCopy& move) {
  const auto target = look_at_target(move, {"core", std::nullopt});
  return target && target->copy_state(state_note) == is_complete &&
         target->copy_state(source_note) == identity_of_source(move);
}

CopyReport copy_installation(const DataCopy& move) {
  const auto parts = find_parts(move);
  check_target(move, parts);
  if (move.begin) move.begin();
  {
    const auto host = open_target(move, parts.front());
    host->create_copy_state();
    host->set_copy_state(source_note, identity_of_source(move));
    host->set_copy_state(state_note, is_copying);
  }
  for (const DatabaseRef& part : parts)
    in_part(part, [&] { make_tables(move, part); });
  for (const DatabaseRef& part : parts) {
    in_part(part, [&] {
      const auto source = open_source(move, part);
      const auto target = open_target(move, part);
      copying::copy_rows(*source, *target, watch_of(move, part.name));
    });
  }
  CopyReport report = compare(move, parts);
  if (!report.is_equal()) return report;
  if (move.bind) move.bind();
  open_target(move, parts.front())->set_copy_state(state_note, is_complete);
  return report;
}

CopyReport check_copy(const DataCopy& move) {
  if (!is_copy_complete(move)) {
    throw move_refused("The target holds no complete copy. Run the command without --check first.");
  }
  return compare(move, find_parts(move));
}

}  // namespace tenon::console

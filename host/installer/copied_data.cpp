#include "installer/copied_data.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>
#include <vector>

#include "bridge/tables/host_made_tables.hpp"
#include "data/copy/copy_source.hpp"
#include "data/database.hpp"
#include "data/snapshot/snapshot.hpp"
#include "data_copy/copy.hpp"
#include "packages/reason.hpp"

namespace tenon::plugins {

namespace {

namespace copying = data::copying;
namespace fs = std::filesystem;

data::DatabaseOptions options_of(const std::string& file) {
  data::DatabaseOptions options;
  options.path = file;
  options.confinement = data::Confinement::plugin();
  return options;
}

// A SQLite file, with the files that SQLite keeps next to it, which is removed with the object.
class Begun {
 public:
  explicit Begun(std::string path) : path_(std::move(path)) {}
  ~Begun() {
    std::error_code ignored;
    for (const char* end : {"", "-wal", "-shm", "-journal"})
      fs::remove(path_ + end, ignored);
  }
  Begun(const Begun&) = delete;
  Begun& operator=(const Begun&) = delete;

  const std::string& path() const noexcept { return path_; }

 private:
  const std::string path_;
};

bool has(const std::vector<copying::Table>& tables, const std::string& name) {
  return std::any_of(tables.begin(), tables.end(),
                     [&](const copying::Table& one) { return one.name == name; });
}

// Makes the tables that the target's declaration has not made: those that the host makes when it
// needs them.
void make_others(copying::CopySource& source, copying::CopyTarget& target, data::Dialect engine) {
  const auto from = source.tables();
  const auto to = target.tables();
  for (const HostMadeTable& table : host_made_tables(engine)) {
    if (has(from, table.name) && !has(to, table.name)) target.make(table.statements);
  }
}

void copy(copying::CopySource& source, copying::CopyTarget& target, data::Dialect engine) {
  const copying::Watch watch = [](const copying::Progress&) {};
  make_others(source, target, engine);
  target.create_copy_state();
  copying::copy_rows(source, target, watch);
  for (const copying::Compared& one : copying::compare_rows(source, target, watch)) {
    if (one.is_equal) continue;
    throw Refusal({"plugins.export_differs",
                   "The table " + one.table + " was copied with " + std::to_string(one.rows) +
                       " rows, and what was written has " + std::to_string(one.other_rows) +
                       (one.rows == one.other_rows ? " that are not all the same" : "") +
                       ". Nothing was changed; look at the disk, then try again.",
                   {},
                   {}});
  }
  target.make({"DROP TABLE " + std::string(copying::copy_state_table)});
}

}  // namespace

bool copy_schema_to_file(const data::PostgresqlSchema& location,
                         const std::function<data::Declaration()>& declaration,
                         const std::string& file) {
  const std::unique_ptr<copying::CopySource> source = copying::read_schema_snapshot(location);
  if (source->tables().empty() && source->migrations().empty()) return false;
  const Begun begun(file + "-begun");
  {
    data::Database made(options_of(begun.path()));
    data::apply(made, declaration());
  }
  copy(*source, *copying::write_file(begun.path()), data::Dialect::sqlite);
  data::Database copied(options_of(begun.path()));
  data::snapshot(copied, file);
  return true;
}

void copy_file_to_schema(const std::string& file, const data::Declaration& declaration,
                         const data::PostgresqlSchema& location) {
  {
    data::Database old(options_of(file));
    data::apply(old, declaration);
  }
  {
    data::DatabaseOptions options = options_of({});
    options.postgresql = location;
    data::Database made(std::move(options));
    data::apply(made, declaration);
  }
  copy(*copying::read_file(file), *copying::write_schema(location), data::Dialect::postgresql);
}

}  // namespace tenon::plugins

#include "bridge/tables/host_made_tables.hpp"

#include <span>

#include "records/query/dialect.hpp"

namespace tenon::plugins {

std::vector<HostMadeTable> host_made_tables(data::Dialect engine) {
  namespace dialect = records::dialect;
  const auto made = [&](std::string_view name, std::span<const std::string_view> statements) {
    HostMadeTable table{std::string(name), {}};
    for (const std::string_view statement : statements)
      table.statements.push_back(dialect::host_table(engine, statement));
    return table;
  };
  const std::span imports = dialect::import_tables;
  return {made(positions_table, {{make_positions_table}}),
          made(phases_table, {{make_phases_table}}),
          made(checkpoints_table, {{make_checkpoints_table}}),
          made("tenon_idempotency", dialect::idempotency_table),
          made("tenon_files", {{dialect::files_table}}),
          made("tenon_imports", imports.first(2)),
          made("tenon_import_errors", imports.last(1))};
}

}  // namespace tenon::plugins

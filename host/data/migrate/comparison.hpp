#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/database.hpp"
#include "data/migrate/migrate.hpp"
#include "data/migrate/migration_history.hpp"
#include "schema/catalog.hpp"
#include "schema/plan.hpp"
#include "schema/renames.hpp"

namespace tenon::data {

/// What a database says of the declaration that was applied to it last; empty: nothing was.
struct StoredState {
  std::string plugin;
  std::string version;
  std::string tables;  ///< as to_json() wrote them
  /// Another declaration that the same data serves: the one that came before, or is to come.
  std::string alternate_version;
  std::string alternate_tables;
  std::string
      merged_tables;  ///< the tables of the two together, which are there; empty: `tables` are
  std::vector<AppliedMigration> migrations;
};

/// Whether a declaration is one that the data serve already.
enum class Compatibility : std::uint8_t {
  other,
  current,  ///< the one that uses them
  beside,   ///< the other one
  heir,     ///< declares the same tables as the current one, and is older than the other one
  older,    ///< older than the current one, with the same tables and migrations; there is no other
};

/// The comparison of one database with one declaration.
struct Comparison {
  Compatibility compatibility = Compatibility::none;
  std::string from_version;
  schema::Tables stored;         ///< what is there, under the names of the declaration
  schema::Tables merged_tables;  ///< where the plan is phased: what expand() makes of it
  schema::Renames renames;       ///< what the database calls otherwise
  std::vector<Pending> pending;
  schema::Plan plan;
  schema::SearchUpgrade search = schema::SearchUpgrade::where_changed;
};

/// How far a plan goes.
enum class Stage : std::uint8_t {
  before_switch,  ///< leaves migrations of the phase contract that apply() left before
  whole,
};

/// Compares. Throws 422 data.version_invalid, 409 data.wrong_plugin, data.newer,
/// data.migration_changed, or what reading fails with; refusals stand in the plan.
Comparison compare(schema::Catalog& catalog, Dialect dialect, const StoredState& recorded,
                   const Declaration& declaration, Stage stage = Stage::before_switch);

/// What an engine keeps of itself; see the ledgers.
template <typename MetadataStore>
StoredState read_stored_state(const MetadataStore& ledger, const std::string& plugin) {
  StoredState recorded;
  recorded.migrations = ledger.migrations(plugin);
  recorded.plugin = ledger.get("plugin");
  recorded.version = ledger.get("version");
  recorded.tables = ledger.get("tables");
  recorded.alternate_version = ledger.get("beside_version");
  recorded.alternate_tables = ledger.get("beside_tables");
  recorded.merged_tables = ledger.get("both");
  return recorded;
}

/// The declaration is what the data are, and nothing else is.
template <typename MetadataStore>
void record_applied(MetadataStore& ledger, const Declaration& declaration) {
  ledger.set("plugin", declaration.plugin);
  ledger.set("version", declaration.version);
  ledger.set("tables", schema::to_json(declaration.tables));
  for (const char* name : {"beside_version", "beside_tables", "both"}) {
    if (!ledger.get(name).empty()) ledger.set(name, "");
  }
}

/// The data serve the declaration, too.
template <typename MetadataStore>
void record_alternate(MetadataStore& ledger, const Declaration& declaration,
                      const schema::Tables& both) {
  ledger.set("beside_version", declaration.version);
  ledger.set("beside_tables", schema::to_json(declaration.tables));
  ledger.set("both", schema::to_json(both));
}

/// The declaration, which the data serve already, is the one that uses them.
template <typename MetadataStore>
void record_switch(MetadataStore& ledger, Compatibility compatibility,
                   const Declaration& declaration) {
  if (compatibility == Compatibility::alternate) {
    ledger.set("beside_version", ledger.get("version"));
    ledger.set("beside_tables", ledger.get("tables"));
    ledger.set("tables", schema::to_json(declaration.tables));
  }
  ledger.set("version", declaration.version);
}

/// Throws 409 data.migration_refused where a migration of the phase expand left tables that are not
/// what both versions declare: `rest` says what they would still need.
void require_expanded(const schema::Plan& rest, const std::string& migration);

/// 409 data.not_phased, saying why, where the version that is there cannot go on meanwhile.
void require_phased(const schema::Plan& plan);

/// 409 data.migration_refused where there are any.
void throw_refusals(const std::vector<schema::Refusal>& refusals);

/// Adds what would have been lost without a migration, and was dropped by one.
void append_dropped(schema::Plan& plan);

}  // namespace tenon::data

#include "sqlite/search/search_found.hpp"

#include <map>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sqlite3.h>

#include "schema/ddl.hpp"
#include "sqlite/connection/sqlite_error.hpp"
#include "sqlite/search/fts5.hpp"
#include "sqlite/search/search_lengths.hpp"
#include "sqlite/search/search_places.hpp"
#include "sqlite/search/search_rank.hpp"

namespace tenon::data::sqlite {

namespace {

// Of the pointer that a scan is handed to FTS5's function by, so that nobody's SQL can make one.
constexpr const char* pointer_type = "tenon_found";
// Statements of a connection; beyond them all are prepared anew.
constexpr std::size_t max_statements = 32;

enum Column : int { rank, table, expression, weights };
// Of a plan: one record is asked for.
constexpr int by_rowid = 1;

// One reading of a search index.
struct Scan {
  SearchRank rank;
  SearchPlaces& places;
  std::optional<std::int64_t> wanted = std::nullopt;  // this record alone
  // What is not behind it was told of already; its rank has the factor.
  std::optional<SearchPlace> last = std::nullopt;
  double factor = 1;

  void add(const Fts5ExtensionApi& api, Fts5Context* search) {
    SearchPlace place{rank.read(api, search), api.xRowid(search)};
    if (wanted && *wanted != place.rowid) return;
    place.rank *= factor;
    if (!last || *last < place) places.add(place);
  }
};

// Says of no record that it is found: what it has to say stands in the scan.
void collect(const Fts5ExtensionApi* api, Fts5Context* search, sqlite3_context* context, int count,
             sqlite3_value** values) noexcept {
  auto* scan =
      count == 1 ? static_cast<Scan*>(sqlite3_value_pointer(values[0], pointer_type)) : nullptr;
  if (scan == nullptr) {
    sqlite3_result_error(context, "tenon_collect: it is called by tenon_found() alone", -1);
    return;
  }
  try {
    scan->add(*api, search);
    sqlite3_result_int(context, 0);
  } catch (const RankFailure& failure) {
    sqlite3_result_error_code(context, failure.code);
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(context);
  }
}

std::string_view argument_text(sqlite3_value* value) noexcept {
  const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(value));
  if (text == nullptr) return {};
  return {text, static_cast<std::size_t>(sqlite3_value_bytes(value))};
}

using SharedLengths = std::shared_ptr<SearchLengths>;

struct FoundTable : sqlite3_vtab {
  FoundTable(sqlite3* connection, SharedLengths kept) noexcept
      : sqlite3_vtab{}, db(connection), lengths(std::move(kept)) {}
  ~FoundTable() { forget(); }
  FoundTable(const FoundTable&) = delete;
  FoundTable& operator=(const FoundTable&) = delete;

  void forget() noexcept {
    for (const auto& [name, statement] : statements)
      sqlite3_finalize(statement);
    statements.clear();
  }

  int fail(int code) noexcept {
    sqlite3_free(zErrMsg);
    zErrMsg = sqlite3_mprintf("%s", sqlite3_errmsg(db));
    return code;
  }

  // Reads the index of the table to its end. Throws std::bad_alloc.
  int run(std::string_view name, std::string_view asked, Scan& scan) {
    auto found = statements.find(name);
    if (found == statements.end()) {
      if (statements.size() == max_statements) forget();
      const std::string index = schema::quoted(schema::search_table(std::string(name)));
      const std::string sql = "SELECT 1 FROM " + index + " WHERE " + index +
                              " MATCH ?1 AND tenon_collect(" + index + ", ?2)";
      sqlite3_stmt* made = nullptr;
      const int code = sqlite3_prepare_v3(db, sql.data(), static_cast<int>(sql.size()),
                                          SQLITE_PREPARE_PERSISTENT, &made, nullptr);
      if (code != SQLITE_OK) return fail(code);
      found = statements.emplace(name, made).first;
    }
    sqlite3_stmt* statement = found->second;
    sqlite3_bind_text64(statement, 1, asked.data() == nullptr ? "" : asked.data(), asked.size(),
                        SQLITE_STATIC, SQLITE_UTF8);
    sqlite3_bind_pointer(statement, 2, static_cast<void*>(&scan), pointer_type, nullptr);
    const int code = sqlite3_step(statement);
    const int result = code == SQLITE_DONE || code == SQLITE_ROW ? SQLITE_OK : fail(code);
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    return result;
  }

  sqlite3* db;
  SharedLengths lengths;
  std::map<std::string, sqlite3_stmt*, std::less<>> statements;  // of tables, used to the end
};

struct FoundCursor : sqlite3_vtab_cursor {
  FoundCursor() noexcept : sqlite3_vtab_cursor{} {}

  // Throws std::bad_alloc.
  int search(std::optional<SearchPlace> last) {
    auto& table = static_cast<FoundTable&>(*pVtab);
    places.clear();
    Scan scan{SearchRank(table.lengths.get(), search_number(name), read_weights(weights),
                         SearchRank::Rarity::counted),
              places, wanted, last, last ? factor : 1};
    if (const int code = table.run(name, expression, scan); code != SQLITE_OK) return code;
    if (!last) factor = scan.rank.factor();
    places.settle(last ? 1 : factor);
    return SQLITE_OK;
  }

  SearchPlaces places{max_places};
  std::string name;
  std::string expression;
  std::string weights;
  std::optional<std::int64_t> wanted;
  double factor = 1;
};

FoundCursor& found_cursor(sqlite3_vtab_cursor* cursor) noexcept {
  return static_cast<FoundCursor&>(*cursor);
}

int connect(sqlite3* db, void* lengths, int /*count*/, const char* const* /*arguments*/,
            sqlite3_vtab** made, char** /*error*/) noexcept {
  const int code = sqlite3_declare_vtab(
      db, "CREATE TABLE x (rank REAL, \"table\" HIDDEN, expression HIDDEN, weights HIDDEN)");
  if (code != SQLITE_OK) return code;
  sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);
  *made = new (std::nothrow) FoundTable(db, *static_cast<SharedLengths*>(lengths));
  return *made == nullptr ? SQLITE_NOMEM : SQLITE_OK;
}

int disconnect(sqlite3_vtab* table) noexcept {
  delete static_cast<FoundTable*>(table);
  return SQLITE_OK;
}

bool is_best_first(const sqlite3_index_info& plan) noexcept {
  if (plan.nOrderBy < 1 || plan.nOrderBy > 2) return false;
  const auto* by = plan.aOrderBy;
  return by[0].iColumn == Column::rank && by[0].desc == 0 &&
         (plan.nOrderBy == 1 || (by[1].iColumn == -1 && by[1].desc == 0));
}

int plan_search(sqlite3_vtab* /*table*/, sqlite3_index_info* plan) noexcept {
  // A bit for each argument that has its value: table, expression, weights, rowid.
  constexpr unsigned needed = 0b0111;
  constexpr unsigned by_rowid_bit = 0b1000;
  unsigned has = 0;
  for (int i = 0; i < plan->nConstraint; ++i) {
    const auto& constraint = plan->aConstraint[i];
    if (constraint.usable == 0 || constraint.op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
    const bool is_argument =
        constraint.iColumn >= Column::table && constraint.iColumn <= Column::weights;
    if (!is_argument && constraint.iColumn != -1) continue;
    const int place = is_argument ? constraint.iColumn : Column::weights + 1;
    const unsigned bit = 1U << static_cast<unsigned>(place - 1);
    if ((has & bit) != 0) continue;
    has |= bit;
    plan->aConstraintUsage[i].argvIndex = place;
    plan->aConstraintUsage[i].omit = is_argument ? 1 : 0;
  }
  if ((has & needed) != needed) return SQLITE_CONSTRAINT;
  const bool is_one = (has & by_rowid_bit) != 0;
  plan->idxNum = is_one ? by_rowid : 0;
  plan->idxFlags = is_one ? SQLITE_INDEX_SCAN_UNIQUE : 0;
  plan->orderByConsumed = is_best_first(*plan) ? 1 : 0;
  plan->estimatedRows = is_one ? 1 : 100;
  plan->estimatedCost = 1000;
  return SQLITE_OK;
}

int open_cursor(sqlite3_vtab* /*table*/, sqlite3_vtab_cursor** made) noexcept {
  *made = new (std::nothrow) FoundCursor;
  return *made == nullptr ? SQLITE_NOMEM : SQLITE_OK;
}

int close_cursor(sqlite3_vtab_cursor* cursor) noexcept {
  delete static_cast<FoundCursor*>(cursor);
  return SQLITE_OK;
}

int begin_search(sqlite3_vtab_cursor* any, int plan, const char* /*text*/, int count,
                 sqlite3_value** values) noexcept {
  FoundCursor& cursor = found_cursor(any);
  try {
    cursor.name = argument_text(values[0]);
    cursor.expression = argument_text(values[1]);
    cursor.weights = argument_text(values[2]);
    cursor.wanted.reset();
    if ((plan & by_rowid) != 0 && count > 3) cursor.wanted = sqlite3_value_int64(values[3]);
    return cursor.search(std::nullopt);
  } catch (const std::bad_alloc&) {
    return SQLITE_NOMEM;
  }
}

int next_place(sqlite3_vtab_cursor* any) noexcept {
  FoundCursor& cursor = found_cursor(any);
  const SearchPlace last = *cursor.places.best();
  cursor.places.take();
  if (cursor.places.best() != nullptr || !cursor.places.is_cut()) return SQLITE_OK;
  try {
    return cursor.search(last);
  } catch (const std::bad_alloc&) {
    return SQLITE_NOMEM;
  }
}

int is_over(sqlite3_vtab_cursor* cursor) noexcept {
  return found_cursor(cursor).places.best() == nullptr ? 1 : 0;
}

int put_column(sqlite3_vtab_cursor* cursor, sqlite3_context* context, int column) noexcept {
  if (column == Column::rank)
    sqlite3_result_double(context, found_cursor(cursor).places.best()->rank);
  return SQLITE_OK;
}

int put_rowid(sqlite3_vtab_cursor* cursor, sqlite3_int64* rowid) noexcept {
  *rowid = found_cursor(cursor).places.best()->rowid;
  return SQLITE_OK;
}

const sqlite3_module& found_module() noexcept {
  static const sqlite3_module module = [] {
    sqlite3_module made{};
    made.xConnect = &connect;
    made.xBestIndex = &plan_search;
    made.xDisconnect = &disconnect;
    made.xOpen = &open_cursor;
    made.xClose = &close_cursor;
    made.xFilter = &begin_search;
    made.xNext = &next_place;
    made.xEof = &is_over;
    made.xColumn = &put_column;
    made.xRowid = &put_rowid;
    return made;
  }();
  return module;
}

}  // namespace

void add_search_found(sqlite3* db, std::shared_ptr<SearchLengths> lengths) {
  fts5_api* fts5 = fts5_of(db);
  if (fts5 == nullptr) throw sqlite_error(db, SQLITE_ERROR);
  int code = fts5->xCreateFunction(fts5, "tenon_collect", nullptr, &collect, nullptr);
  if (code != SQLITE_OK) throw sqlite_error(db, code);
  // SQLite deletes it also where it refuses the module.
  code = sqlite3_create_module_v2(db, "tenon_found", &found_module(),
                                  new SharedLengths(std::move(lengths)),
                                  [](void* old) { delete static_cast<SharedLengths*>(old); });
  if (code != SQLITE_OK) throw sqlite_error(db, code);
}

}  // namespace tenon::data::sqlite

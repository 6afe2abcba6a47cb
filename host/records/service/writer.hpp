#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "data/transaction.hpp"
#include "records/api/body.hpp"
#include "records/api/key.hpp"
#include "records/model/hooks.hpp"
#include "records/model/table_context.hpp"
#include "records/service/files.hpp"

namespace tenon::records {

/// Whether a write runs the hooks of the plugin. A write that a hook makes itself runs none.
enum class RunHooks : std::uint8_t { no, yes };

/// Changes records of one table inside a write transaction and enforces its rules. The caller must
/// roll back the transaction if it throws: rules are checked after the change. Hooks of the plugin
/// run after the other checks and before the change. Borrows everything.
class Writer {
 public:
  Writer(const TableContext& table_context, const expression::Context& context,
         data::Transaction& transaction, RunHooks run_hooks = RunHooks::yes)
      : table_context_(table_context),
        hooks_(run_hooks == RunHooks::yes ? table_context.hooks.get() : nullptr),
        table_(table_context.table),
        context_(context),
        transaction_(transaction),
        files_(table_context, transaction) {}

  /// Makes the record and returns its id. Throws 422 records.validation with all that is wrong, 409
  /// records.exists, 403 records.forbidden.
  std::string create(const Body& body);
  /// `if_match` is empty where nothing was asked for. Throws 404 records.not_found, 412
  /// records.conflict, 403, 422.
  void update(std::string_view id, const Body& body, std::string_view if_match);
  void remove(std::string_view id, std::string_view if_match);

  struct Upserted {
    std::string id;
    bool is_new = false;
  };
  /// Changes the record with the body's key if the writer sees it, else creates it. So a record
  /// that the writer cannot see gives the error of create(). Call check_key() on `body` before.
  Upserted upsert(const Body& body, const UpsertKey& key, std::string_view if_match);

  /// The record as its writer sees it, as JSON; `{"id":…}` where the writer does not.
  std::string show(std::string_view id);

  RecordFiles& files() noexcept { return files_; }

 private:
  bool is_asked(RecordOperation operation) const {
    return hooks_ && hooks_->has_before(table_.table.name, operation);
  }
  /// The change with what the plugin wants of it. Throws what it refuses with.
  Body ask_plugin(RecordOperation operation, std::string_view id, const Body& body);
  void insert(const std::string& id, const Body& body);
  void change(std::string_view id, const Body& body);
  /// The body with the user who creates the record where that is a default.
  std::optional<Body> with_user(const Body& body);
  /// Throws 422 records.validation if neither the body, the user nor a callback set a required
  /// field.
  void require_filled_in(const Body& body) const;
  /// The body with each increment replaced by its sum with the value of the record.
  Body with_sums(std::string_view id, const Body& body);
  /// The body with what is stored of its files; nothing where it names none.
  std::optional<Body> with_files(std::string_view id, const Body& body, bool is_new);
  std::string find_by_key(const Body& body, const UpsertKey& key);
  void check_before(std::string_view id, const std::optional<Rule>& rule, const Body* body,
                    std::string_view if_match, std::string_view what);
  void check_after(std::string_view id, const std::optional<Rule>& rule, const Body* body,
                   std::string_view what);
  void check_parents(std::string_view id, const Body& body);
  std::vector<base::FieldError> find_errors(const Body& body);
  bool is_visible(const TableModel& table, std::string_view id);
  void write_links(std::string_view id, const Body& body, bool is_new);
  void run(const std::string& sql, const std::vector<data::Cell>& cells);
  /// The record where the reader sees it; empty where not.
  std::string read(std::string_view id);
  /// Whether all of these hold for the record; nothing where it is not to be seen.
  std::optional<std::vector<bool>> ask(std::string_view id, const std::vector<const Rule*>& rules,
                                       bool must_be_seen);

  const TableContext& table_context_;
  Hooks* const hooks_;  ///< null: no hook runs
  const TableModel& table_;
  const expression::Context& context_;
  data::Transaction& transaction_;
  RecordFiles files_;
};

/// 412 records.conflict, with what the record is now.
class Conflict : public base::Error {
 public:
  explicit Conflict(std::string record);
  const std::string& record() const noexcept { return record_; }
  /// The problem as JSON, with the record.
  std::string problem(std::string_view request_id) const;

 private:
  std::string record_;  ///< JSON
};

}  // namespace tenon::records

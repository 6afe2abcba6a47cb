#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "blobs/blobs.hpp"
#include "data/cell.hpp"
#include "data/json_rows.hpp"
#include "data/transaction.hpp"
#include "expression/context.hpp"
#include "records/model/limits.hpp"
#include "records/model/table_context.hpp"
#include "records/service/writer.hpp"
#include "schema/tables.hpp"

namespace tenon::records {

/// Which records are listed; texts as in the query of a GET.
struct Listing {
  std::string_view filter = {};
  data::Cells values = {};  ///< for each ? of the filter
  std::string_view search = {};
  std::string_view sort = {};
  std::string_view fields = {};
  std::string_view expand = {};
  std::string_view cursor = {};
  std::size_t limit = 0;  ///< 0: default_page
  bool is_counted = false;
};

/// A search in several tables at once.
struct TableSearch {
  const std::vector<std::string_view>& tables;   ///< empty: all that have searchable fields
  std::string_view typed = {};                   ///< as q
  std::size_t limit = 0;                         ///< 0: default_search_hits
  std::chrono::milliseconds time = search_time;  ///< of all tables, outside of a transaction
};

/// A transaction that the caller of RecordService ends.
struct TransactionScope {
  data::Transaction& transaction;
  std::vector<blobs::Blobs::Claim>& ended;  ///< to be released once it is on disk
  RunHooks run_hooks = RunHooks::yes;
};

/// Reads and writes records for code of their plugin as the REST API does: the same statements,
/// rules, checks and files. Thread-safe; keeps the database.
class RecordService {
 public:
  struct Parts {
    std::string plugin;
    std::shared_ptr<data::Database> database;
    const identity::Permissions& permissions;
    const identity::Users& users;
    blobs::Blobs& blobs;
    blobs::Uploads& uploads;
    std::shared_ptr<Hooks> hooks = nullptr;
  };
  /// `model` is that of `parts.database`. Every rule opened is another model, which is made when it
  /// is first needed.
  RecordService(Parts parts, const std::shared_ptr<const Model>& model);
  ~RecordService();
  RecordService(const RecordService&) = delete;
  RecordService& operator=(const RecordService&) = delete;

  /// The table and the user of one call. `enforce_rules`: false to open every rule.
  struct RecordRequest {
    std::string_view table;
    bool enforce_rules = true;
    const expression::Context& context;
  };

  /// The table with every rule open, each declared field shown and writable; null where there is
  /// none.
  const TableModel* unrestricted(std::string_view table) const;

  /// Appends the record. Throws 404 records.unknown_table, records.not_found, 403 and 401. `within`
  /// is null for a transaction of its own, here and below.
  void show(const RecordRequest& request, std::string_view id, data::Transaction* within,
            data::JsonText& text) const;
  /// Appends {"items":[…],"next":…}. Throws what a list is refused with.
  void list(const RecordRequest& request, const Listing& listing, data::Transaction* within,
            data::JsonText& text) const;

  /// Appends {"items":[{"table","id","title","highlight"}],"more":…}, the best first. Tables that
  /// were not named are left out where they are not for who asks. Throws 404 records.unknown_table,
  /// 400 records.bad_query, and what a list with q is refused with.
  void search(const TableSearch& search, bool enforce_rules, const expression::Context& context,
              data::Transaction* within, data::JsonText& text) const;

  /// Creates, changes or deletes a record. Returns the record as its writer sees it, or nothing.
  /// Without `within` it uses a transaction of its own and blocks until that is on disk. If it
  /// throws within another transaction, the caller must roll that back; uploads are refused there.
  /// Throws the errors of the same requests over HTTP.
  std::string create(const RecordRequest& request, std::string_view json,
                     const TransactionScope* within) const;
  std::string update(const RecordRequest& request, std::string_view id, std::string_view json,
                     std::string_view if_match, const TransactionScope* within) const;
  void remove(const RecordRequest& request, std::string_view id, std::string_view if_match,
              const TransactionScope* within) const;

 private:
  using TableContexts = std::map<std::string, std::unique_ptr<const TableContext>, std::less<>>;

  TableContexts table_contexts_of(const std::shared_ptr<const Model>& model,
                                  bool enforce_rules) const;
  const TableContexts& open() const;
  const TableContext& table_context(const RecordRequest& request) const;
  template <typename Work>
  static std::string write(const TableContext& table_context, const RecordRequest& request,
                           Body body, const TransactionScope* within, Work&& work);

  const Parts parts_;
  const TableContexts ruled_;
  mutable std::once_flag is_open_;
  mutable TableContexts open_;
};

}  // namespace tenon::records

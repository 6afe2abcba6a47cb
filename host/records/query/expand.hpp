#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "data/json_rows.hpp"
#include "data/transaction.hpp"
#include "expression/context.hpp"
#include "records/model/table_context.hpp"

namespace tenon::records {

/// A reference whose records a response shows in addition to their ids.
struct Expand {
  const FieldModel* field = nullptr;
  const TableModel* target = nullptr;  ///< null: people
  std::vector<Expand> inner;           ///< references of those records
};

/// Returns the references that parse_expand() takes, of those that responses show.
std::vector<const FieldModel*> expandable_fields(const TableModel& table);

/// Reads "author,labels.owner". Throws 400 records.bad_query.
std::vector<Expand> parse_expand(const Model& model, const TableModel& table,
                                 const std::string& text);

/// Appends the fields that are expanded and are not among `fields`; how many members a record
/// shows, id included.
std::size_t add_expanded_fields(std::vector<const FieldModel*>& fields,
                                const std::vector<Expand>& expands);

/// Looks up what records refer to: one statement a reference, however many records there are. Each
/// record is as its reader sees it, and is left out where they do not. Borrows everything.
class Expander {
 public:
  Expander(const TableContext& table_context, const expression::Context& context,
           data::Transaction& transaction)
      : table_context_(table_context), context_(context), transaction_(transaction) {}

  /// Appends the records, an array or one object as Rows::append_json() writes them, each with its
  /// first `shown` members and then "expand". Throws 400 records.bad_query beyond
  /// max_expanded_of_page, 413 data.too_large.
  void write(std::string_view records, std::size_t shown, const std::vector<Expand>& expands,
             data::JsonText& text);

 private:
  /// Of records by their ids, as JSON.
  using LoadedRecords = std::unordered_map<std::string, std::string>;

  LoadedRecords load(const Expand& expand, const std::vector<std::string>& ids);
  LoadedRecords load_records(const Expand& expand, std::string_view ids);
  void load_all(const std::vector<std::string_view>& records, const std::vector<Expand>& expands,
                std::vector<LoadedRecords>& found);

  const TableContext& table_context_;
  const expression::Context& context_;
  data::Transaction& transaction_;
};

}  // namespace tenon::records

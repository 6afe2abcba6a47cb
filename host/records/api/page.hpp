#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "records/model/model.hpp"
#include "schema/tables.hpp"

namespace tenon::records {

/// One field of sort=.
struct SortKey {
  std::string column;  ///< SQL; of an order by rank empty
  bool is_descending = false;
  bool is_nullable = false;
};

/// The order of a list: its keys, and then `rowid` in the direction of the last one. Empty values
/// are the smallest.
struct Sort {
  data::Dialect engine = data::Dialect::sqlite;
  std::vector<SortKey> keys;
  std::string text;  ///< as it was asked for
  bool is_by_rank =
      false;  ///< of a search: the best first; a cursor then says how many came before

  bool is_descending() const noexcept { return !keys.empty() && keys.back().is_descending; }
};

/// Reads "-created,title". Throws 400 records.bad_query, and records.field_not_allowed for a field
/// that the reader may not see in every record.
Sort parse_sort(const TableModel& table, const std::string& text,
                const expression::Context& context);

/// The order of a search that asks for none.
Sort rank_sort(data::Dialect engine);

/// Appends ", … AS "0:key"": the columns that a cursor is made of, rowid last.
void append_key_columns(std::string& sql, const Sort& sort);
void append_order(std::string& sql, const Sort& sort);

/// Returns a mark of the list that a cursor belongs to: it fits no other table, sort, filter or
/// search.
std::string list_mark(const std::string& path, const Sort& sort, const std::string& filter,
                      const std::string& typed);

/// `keys` is a JSON array of the last record's keys. Empty where it would be longer than
/// max_cursor_bytes.
std::string make_cursor(std::string_view mark, std::string_view keys);
/// The values of the keys, rowid last. Throws 400 records.bad_cursor.
std::vector<data::schema::Value> read_cursor(std::string_view cursor, std::string_view mark,
                                             const Sort& sort);

/// Appends the condition that a record comes after these keys. Its parameters are numbered from
/// `first_parameter`, one for each value, null ones too.
void append_after(std::string& sql, const Sort& sort, const std::vector<data::schema::Value>& keys,
                  std::size_t first_parameter);

}  // namespace tenon::records

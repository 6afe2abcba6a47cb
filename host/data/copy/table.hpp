#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::data::copying {

/// The kind of values of a column, whatever the engine calls its type.
enum class Storage : std::uint8_t {
  integer,
  boolean,  ///< 0 and 1 in cells
  number,
  text,
  blob,
  any,    ///< SQLite's column without a type that binds it
  other,  ///< one whose values would be written otherwise on the other side; not copied
};

struct Column {
  std::string name;
  Storage storage = Storage::any;
  std::string type;  ///< as the engine names it
};

/// A table of rows to be copied. Generated columns are none of its columns.
struct Table {
  std::string name;
  std::vector<Column> columns;  ///< sorted by name
  std::string order;            ///< what follows ORDER BY, so that rows keep their order
};

/// The table of the copy state in each target: `name`, `value`.
inline constexpr std::string_view copy_state_table = "tenon_copy";

/// Returns true for tables that the engine or the host recreates on each side: the records of
/// migrations, the change log, search indexes, and the copy state.
bool is_recreated(std::string_view table) noexcept;

/// A list of names as SQL: "a", "b".
std::string column_list(const Table& table);

}  // namespace tenon::data::copying

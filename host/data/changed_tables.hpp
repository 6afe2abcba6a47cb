#pragma once

#include <string>
#include <vector>

#include "data/schema/tables.hpp"

namespace tenon::data {

/// One table with records, as it is called now and was called in a snapshot.
struct PairedTable {
  std::string title;            ///< for people
  std::string now;              ///< empty: there is none
  std::string then;             ///< empty: there was none
  std::string identity = "id";  ///< the column that tells a record from another one
};

/// The tables that are declared now or were then, and those of their fields with many references.
std::vector<PairedTable> paired_tables(const schema::Tables& now, const schema::Tables& then);

/// The columns whose values tell whether a record is the same; both are sorted.
std::vector<std::string> compared_columns(const std::vector<std::string>& now,
                                          const std::vector<std::string>& then);

}  // namespace tenon::data

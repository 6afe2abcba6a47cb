#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "records/model/model.hpp"

namespace tenon::realtime {

/// Fields of other records that an expression reads over its paths: table and field.
using RemoteReads = std::set<std::pair<std::string, std::string>>;

void add_remote_reads(const expression::Checked& checked, RemoteReads& reads);

/// Whether the value differs between people: it reads who they are or what they may do.
bool is_personal(const expression::Checked& checked);

/// Facts about a table in addition to its model.
struct TableFacts {
  explicit TableFacts(const records::TableModel& table);

  const records::TableModel& table;
  std::string select;        ///< one record as JSON by its id, for any user
  bool is_personal = false;  ///< a computed field differs between people
  RemoteReads of_rule;       ///< of the table's read rule
  RemoteReads of_shown;      ///< of what is computed, and of the fields' rules
};

}  // namespace tenon::realtime

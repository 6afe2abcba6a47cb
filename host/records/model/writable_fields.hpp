#pragma once

#include <vector>

#include "records/model/model.hpp"
#include "schema/findings.hpp"

namespace tenon::records {

/// Sets `is_writable` of every field of a plugin's tables, which are all of them and in the order
/// of tables.json. A body may have a declared field that is neither computed nor `read_only`, with
/// two exceptions, which need `writable`:
/// - a hidden field;
/// - a field that a rule reads, unless it has a `write` rule of its own, or the rules `create` and
///   `update` of its table (those that it has) read it too and so check what is written. The
///   `create` rule of its own table does not count as a rule that reads it.
/// Reports `writable` where it changes nothing.
void find_writable_fields(std::vector<TableModel>& tables, data::schema::Findings& findings);

}  // namespace tenon::records

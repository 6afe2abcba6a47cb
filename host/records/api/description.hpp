#pragma once

#include <cstdint>
#include <string>

#include "records/model/model.hpp"

namespace tenon::records {

/// The operations that a published table has; `file` once for each field of files.
enum class Operation : std::uint8_t {
  list,
  show,
  create,
  upsert,
  change,
  remove,
  batch,
  file,
  export_all,
  start_import,
  show_import,
  cancel_import
};

/// Returns the OpenAPI description of one operation, as openapi::read_fragment() takes it:
/// parameters, bodies and responses by JSON Schemas of the table's fields. It contains no hidden
/// fields and no rules. `has_extra`: the plugin adds to records that are read.
std::string describe(const std::string& plugin, const TableModel& table, Operation operation,
                     bool has_extra = false);

}  // namespace tenon::records

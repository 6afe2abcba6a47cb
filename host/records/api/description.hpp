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

/// What the API's description says of one of them, as openapi::read_fragment() takes it:
/// parameters, bodies and answers by JSON Schemas of the table's fields. Hidden fields and rules
/// are told nowhere. `has_extra`: the plugin adds to records that are read.
std::string describe(const std::string& plugin, const TableModel& table, Operation operation,
                     bool has_extra = false);

}  // namespace tenon::records

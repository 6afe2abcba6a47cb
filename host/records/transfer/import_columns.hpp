#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "records/api/body.hpp"
#include "records/transfer/import_request.hpp"
#include "records/transfer/import_source.hpp"

namespace tenon::records {

/// Maps the names in a file to fields, and its records to bodies.
class ImportColumns {
 public:
  ImportColumns(const TableModel& table, const ImportRequest& request)
      : table_(table), request_(request) {}

  /// Reads the first line of CSV. Throws 422 records.bad_file for a name that is no field and is
  /// not mapped, and for a duplicate field.
  void read_head(const SourceRow& row);
  /// The record, with all that is wrong with it. Fields that cannot be set are left out.
  Body body(const SourceRow& row) const;

 private:
  struct Meaning {
    std::string name;  ///< in the file
    bool is_id = false;
    bool is_known = true;
    const FieldModel* field = nullptr;    ///< null: left out, or the id
    const FieldModel* refused = nullptr;  ///< a field that cannot be set and is in no export
  };

  Meaning meaning_of(const std::string& name) const;
  std::string json_of_cells(const SourceRow& row, std::vector<base::FieldError>& errors) const;
  std::string json_of_members(const SourceRow& row) const;

  const TableModel& table_;
  const ImportRequest& request_;
  std::vector<Meaning> columns_;
};

}  // namespace tenon::records

#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "records/query/list_query.hpp"
#include "records/transfer/export_text.hpp"

namespace tenon::records {

/// The query of an export, parsed and checked for its user.
struct ExportQuery {
  TransferFormat format = TransferFormat::csv;
  bool has_bom = false;
  std::vector<const FieldModel*> fields;
  std::shared_ptr<const Rule> filter;  ///< null: none
  Sort sort;
};

/// Throws as read_list_query().
ExportQuery read_export_query(const TableContext& table_context, std::string_view query,
                              const expression::Context& context);

/// All records that the reader may see.
Statement export_statement(const TableContext& table_context, const ExportQuery& query,
                           const expression::Context& context, Visibility seen);

}  // namespace tenon::records

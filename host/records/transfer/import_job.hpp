#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/error.hpp"
#include "jobs/attempt.hpp"
#include "records/api/key.hpp"
#include "records/model/table_context.hpp"
#include "records/transfer/import_columns.hpp"
#include "records/transfer/import_state.hpp"

namespace tenon::records {

/// One attempt of an import: from where the last one was, in batches that each are one transaction
/// with how far it is. Rows that are wrong are left out and named. One thread.
class ImportJob {
 public:
  ImportJob(std::shared_ptr<const TableContext> table_context, jobs::Attempt& attempt,
            ImportRequest request);
  ~ImportJob();

  jobs::Outcome run();

 private:
  struct Row {
    std::uint64_t line = 0;
    Body body;
  };

  void load_permissions();
  void import(const std::function<std::size_t(std::uint64_t, char*, std::size_t)>& read,
              std::uint64_t bytes);
  std::vector<Row> gather(ImportSource& source, const ImportColumns& columns, std::size_t max_rows);
  void import_in_batches(ImportSource& source, const ImportColumns& columns, std::uint64_t bytes);
  void import_as_a_whole(ImportSource& source, const ImportColumns& columns);
  void dry_run(std::vector<Row>& rows);
  void apply(std::vector<Row>& rows);
  std::size_t write(std::vector<Row>& rows, std::size_t first, std::size_t end, bool is_bounded);
  void note(const Row& row, const std::vector<base::FieldError>& errors);
  void keep();

  const std::shared_ptr<const TableContext> table_context_;
  jobs::Attempt& attempt_;
  const ImportRequest request_;
  std::unique_ptr<expression::Context> context_;
  std::unique_ptr<UpsertKey> key_;  // null: records are made only
  ImportProgress tally_;
  std::vector<ImportError> found_;  // not kept yet
};

}  // namespace tenon::records

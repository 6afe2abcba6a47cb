#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "jobs/jobs.hpp"
#include "records/model/table_context.hpp"

namespace tenon::records {

/// Runs the imports of a plugin's tables, and passes other jobs to the plugin's own runner.
class ImportRunner final : public jobs::Runner {
 public:
  using TableContexts = std::map<std::string, std::shared_ptr<const TableContext>, std::less<>>;

  /// The keys of `table_contexts` are the names of the tables.
  ImportRunner(std::shared_ptr<jobs::Runner> own, TableContexts table_contexts)
      : own_(std::move(own)), table_contexts_(std::move(table_contexts)) {}

  const std::string& plugin() const noexcept override { return own_->plugin(); }
  std::vector<std::string> kinds() const override;
  jobs::Outcome run(jobs::Attempt& attempt) noexcept override;

 private:
  jobs::Outcome import(jobs::Attempt& attempt) const;

  const std::shared_ptr<jobs::Runner> own_;
  const TableContexts table_contexts_;
};

}  // namespace tenon::records

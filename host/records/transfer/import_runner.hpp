#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "jobs/jobs.hpp"
#include "records/model/table_context.hpp"

namespace tenon::records {

/// Runs the imports of a plugin's tables, and leaves its own jobs to the runner behind it.
class ImportRunner final : public jobs::Runner {
 public:
  using Desks = std::map<std::string, std::shared_ptr<const TableContext>, std::less<>>;

  /// `desks` by their table's name.
  ImportRunner(std::shared_ptr<jobs::Runner> own, Desks desks)
      : own_(std::move(own)), desks_(std::move(desks)) {}

  const std::string& plugin() const noexcept override { return own_->plugin(); }
  std::vector<std::string> kinds() const override;
  jobs::Outcome run(jobs::Attempt& attempt) noexcept override;

 private:
  jobs::Outcome import(jobs::Attempt& attempt) const;

  const std::shared_ptr<jobs::Runner> own_;
  const Desks desks_;
};

}  // namespace tenon::records

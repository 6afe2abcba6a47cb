#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "jobs/jobs.hpp"

namespace tenon::blobs {
class Blobs;
}
namespace tenon::data {
class Database;
}

namespace tenon::records {

class RecordService;

/// Runs the jobs of the kind "records.action" of a plugin, and passes other jobs to another runner.
/// Ignores the rules of the tables; calls the plugin's callbacks as for any other change.
class ActionRunner final : public jobs::Runner {
 public:
  /// Records of one transaction.
  static constexpr std::size_t batch = 100;

  /// `blobs` outlives it.
  ActionRunner(std::shared_ptr<jobs::Runner> next, std::shared_ptr<const RecordService> records,
               std::shared_ptr<data::Database> database, blobs::Blobs& blobs)
      : next_(std::move(next)),
        records_(std::move(records)),
        database_(std::move(database)),
        blobs_(blobs) {}

  const std::string& plugin() const noexcept override { return next_->plugin(); }
  std::vector<std::string> kinds() const override;
  jobs::Outcome run(jobs::Attempt& attempt) noexcept override;

 private:
  jobs::Outcome run_action(jobs::Attempt& attempt) const;

  const std::shared_ptr<jobs::Runner> next_;
  const std::shared_ptr<const RecordService> records_;
  const std::shared_ptr<data::Database> database_;
  blobs::Blobs& blobs_;
};

}  // namespace tenon::records

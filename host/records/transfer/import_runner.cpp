#include "records/transfer/import_runner.hpp"

#include "base/error.hpp"
#include "observability/log.hpp"
#include "records/transfer/import_job.hpp"

namespace tenon::records {

std::vector<std::string> ImportRunner::kinds() const {
  std::vector<std::string> kinds = own_->kinds();
  std::erase(kinds, import_kind);
  kinds.emplace_back(import_kind);
  return kinds;
}

jobs::Outcome ImportRunner::import(jobs::Attempt& attempt) const {
  const observability::LogScope scope(attempt.job.id, plugin());
  ImportRequest request = ImportRequest::from_json(attempt.job.payload);
  const auto table_context = table_contexts_.find(request.table);
  if (table_context == table_contexts_.end())
    return {jobs::Outcome::Kind::fail, "There is no published table '" + request.table + "'."};
  return ImportJob(table_context->second, attempt, std::move(request)).run();
}

jobs::Outcome ImportRunner::run(jobs::Attempt& attempt) noexcept {
  if (attempt.job.kind != import_kind) return own_->run(attempt);
  try {
    return import(attempt);
  } catch (const base::Error& error) {
    const bool is_worth_it = error.status() >= 500;
    return {is_worth_it ? jobs::Outcome::Kind::retry : jobs::Outcome::Kind::fail,
            std::string(error.message())};
  } catch (const std::exception& error) {
    observability::log_error("an import failed",
                             {{"job", attempt.job.id}, {"reason", error.what()}});
    return {jobs::Outcome::Kind::retry, "Something went wrong here."};
  }
}

}  // namespace tenon::records

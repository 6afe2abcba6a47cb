#include "records/service/action_runner.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/json_slice.hpp"
#include "blobs/blobs.hpp"
#include "data/database.hpp"
#include "expression/context.hpp"
#include "observability/log.hpp"
#include "records/model/action.hpp"
#include "records/service/record_service.hpp"

namespace tenon::records {

namespace {

struct Page {
  std::vector<std::string> ids;
  std::string next;  // empty: the last page
};

Page read_page(std::string_view json) {
  Page page;
  base::JsonSlice(json).each_member([&](const std::string& name, const base::JsonSlice& value) {
    if (name == "next" && !value.is_null()) page.next = value.string();
    if (name != "items") return;
    value.each_element([&](const base::JsonSlice& record) {
      record.each_member([&](const std::string& field, const base::JsonSlice& id) {
        if (field == "id") page.ids.push_back(id.string());
      });
    });
  });
  return page;
}

// One action on one plugin's records, in batches of one transaction each.
class ActionRun {
 public:
  ActionRun(const Action& action, const RecordService& records, data::Database& database,
            blobs::Blobs& blobs, const std::string& plugin)
      : action_(action),
        records_(records),
        database_(database),
        blobs_(blobs),
        plugin_(plugin),
        context_(std::nullopt, {}, base::unix_milliseconds(),
                 [](std::string_view) { return true; }) {}

  Page next_page(const std::string& cursor) const {
    data::JsonText text;
    records_.list(
        request(),
        {.filter = action_.where, .fields = "id", .cursor = cursor, .limit = ActionRunner::batch},
        nullptr, text);
    return read_page(text.view());
  }

  // A record that is refused must not keep the others from their change: then one by one.
  void change(const std::vector<std::string>& ids) {
    try {
      change_together(ids);
      done_ += static_cast<std::int64_t>(ids.size());
      return;
    } catch (const base::Error& error) {
      if (error.status() >= 500) throw;
    }
    for (const std::string& id : ids) {
      try {
        change_together({id});
        ++done_;
      } catch (const base::Error& error) {
        if (error.status() >= 500) throw;
        if (error.code() == "records.not_found") continue;  // someone else deleted it
        if (refused_++ == 0) first_refusal_ = error.code() + ": " + error.message();
      }
    }
  }

  jobs::Progress progress() const {
    return {done_, 0, action_.kind == Action::Kind::remove ? "deleted" : "updated"};
  }

  jobs::Outcome outcome() const {
    if (refused_ == 0) return {};
    return {jobs::Outcome::Kind::fail, std::to_string(done_) + " records changed, " +
                                           std::to_string(refused_) +
                                           " refused; the first one: " + first_refusal_};
  }

 private:
  RecordService::RecordRequest request() const { return {action_.table, false, context_}; }

  void change_together(const std::vector<std::string>& ids) {
    std::vector<blobs::Blobs::Claim> ended;
    database_.write([&](data::Transaction& transaction) {
      ended.clear();
      const TransactionScope scope{transaction, ended};
      for (const std::string& id : ids) {
        if (action_.kind == Action::Kind::remove)
          records_.remove(request(), id, {}, &scope);
        else
          records_.update(request(), id, action_.set, {}, &scope);
      }
    });
    if (!ended.empty()) blobs_.release_later(plugin_, std::move(ended));
  }

  const Action& action_;
  const RecordService& records_;
  data::Database& database_;
  blobs::Blobs& blobs_;
  const std::string& plugin_;
  const expression::Context context_;
  std::int64_t done_ = 0;
  std::int64_t refused_ = 0;
  std::string first_refusal_;
};

}  // namespace

std::vector<std::string> ActionRunner::kinds() const {
  std::vector<std::string> kinds = next_->kinds();
  kinds.emplace_back(action_kind);
  return kinds;
}

jobs::Outcome ActionRunner::run_action(jobs::Attempt& attempt) const {
  const observability::LogScope scope(attempt.job.id, plugin());
  const Action action = Action::from_json(attempt.job.payload);
  ActionRun run(action, *records_, *database_, blobs_, plugin());
  Page page = run.next_page({});
  for (;;) {
    run.change(page.ids);
    attempt.set_progress(run.progress());
    if (page.next.empty()) return run.outcome();
    if (attempt.should_stop()) return {jobs::Outcome::Kind::retry, "Stopped before its end."};
    page = run.next_page(page.next);
  }
}

jobs::Outcome ActionRunner::run(jobs::Attempt& attempt) noexcept {
  if (attempt.job.kind != action_kind) return next_->run(attempt);
  try {
    return run_action(attempt);
  } catch (const base::Error& error) {
    const bool is_worth_it = error.status() >= 500;
    return {is_worth_it ? jobs::Outcome::Kind::retry : jobs::Outcome::Kind::fail,
            error.code() + ": " + error.message()};
  } catch (const std::exception& error) {
    observability::log_error("a scheduled change of records failed",
                             {{"job", attempt.job.id}, {"reason", error.what()}});
    return {jobs::Outcome::Kind::retry, "Something went wrong here."};
  }
}

}  // namespace tenon::records

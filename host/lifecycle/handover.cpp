#include <chrono>

#include "bridge/db/function_migrations.hpp"
#include "bridge/db/plugin_database.hpp"
#include "bridge/declaration.hpp"
#include "bridge/tables/change_consumer.hpp"
#include "data/database.hpp"
#include "data/migrate/migrate.hpp"
#include "data/snapshot/snapshot.hpp"
#include "http/connection/hold.hpp"
#include "jobs/jobs.hpp"
#include "lifecycle/activation.hpp"
#include "packages/reason.hpp"
#include "realtime/realtime.hpp"
#include "records/search/search_directory.hpp"
#include "routing/route.hpp"
#include "routing/router.hpp"

namespace tenon::plugins {

using HandoverClock = std::chrono::steady_clock;

void Activation::take_over(Handover& handover, const Progress& progress) {
  PluginDatabase& database = bridge_->database();
  const data::Declaration declaration = read_declaration(manifest_, folder_);
  data::schema::Plan plan;
  if (database.has_data()) {
    plan = data::plan(*database.get(), declaration);
    if (plan.is_refused()) {
      throw Refusal({"data.migration_refused",
                     "Its data cannot become what this version declares: " + plan.to_text(),
                     folder_ + "/tables.json",
                     {}});
    }
  }
  const FunctionMigrations::Pending functions =
      database.has_data() ? bridge_->migrations().pending() : FunctionMigrations::Pending::some;
  const bool has_work =
      !plan.steps.empty() || plan.is_switch || functions == FunctionMigrations::Pending::expanding;
  if (handover.from && plan.is_phased && has_work &&
      functions != FunctionMigrations::Pending::some) {
    expand_while_serving(handover, declaration, progress);
    return;
  }
  std::unique_ptr<data::OnlineSnapshot> begun;
  if (handover.from) {
    if (handover.start_snapshot && database.has_data())
      begun = handover.start_snapshot(*database.get());
    handover.is_suspended = true;
    handover.from->suspend(handover.hold);
  }
  handover.take_snapshot(database.has_data() ? database.get().get() : nullptr, begun.get());
  handover.will_restore = true;
  handover.commit_to_restore();
  handover.data_modified = true;
}

// Runs while `from` serves. The snapshot lacks the writes that `from` acknowledges after it, so it
// cannot be restored after such a write. Then `from` continues with the data as it is.
void Activation::expand_while_serving(Handover& handover, const data::Declaration& declaration,
                                      const Progress& progress) {
  PluginDatabase& database = bridge_->database();
  data::Database& open = *database.get();
  const std::uint64_t before = database.writes();
  handover.take_snapshot(&open, nullptr);
  data::expand(open, declaration);
  const std::size_t batches = bridge_->migrations().is_pending() ? run_functions(progress) : 0;
  handover.is_suspended = true;
  handover.from->suspend(handover.hold);
  if (database.writes() - before == batches) {
    handover.will_restore = true;
    handover.commit_to_restore();
  }
  handover.data_modified = true;
}

void Activation::contract() {
  data::contract(*bridge_->database().get(), read_declaration(manifest_, folder_));
  pending_contract_.clear();
}

void Activation::suspend(const std::shared_ptr<http::Hold>& hold) {
  is_suspended_ = true;
  jobs().detach(manifest_.id);
  if (follower_) follower_->stop_soon();
  const auto end = HandoverClock::now() + environment_.jobs_timeout;
  if (!jobs().wait_idle(manifest_.id, end)) jobs().give_up(manifest_.id);
  if (follower_ && follower_->wait_idle(end)) {
    follower_->stop();
    follower_.reset();
  }
  environment_.router.hold("/api/" + manifest_.id, hold);
  routes_->gate().close();
  routes_->gate().wait_idle(environment_.handover_timeout);
  if (environment_.search) environment_.search->detach(manifest_.id);
  environment_.live.detach(manifest_.id);
  bridge_->database().pause_writes(environment_.writes_timeout);
}

}  // namespace tenon::plugins

#include <chrono>

#include "data/database.hpp"
#include "data/migrate.hpp"
#include "data/snapshot.hpp"
#include "http/hold.hpp"
#include "jobs/jobs.hpp"
#include "live/live.hpp"
#include "plugins/bridge/change_follower.hpp"
#include "plugins/bridge/declaration.hpp"
#include "plugins/bridge/plugin_database.hpp"
#include "plugins/lifecycle/activation.hpp"
#include "plugins/reason.hpp"
#include "records/search_directory.hpp"
#include "routing/route.hpp"
#include "routing/router.hpp"

namespace tenon::plugins {

using Clock = std::chrono::steady_clock;

void Activation::take_over(Handover& handover) {
  PluginDatabase& database = bridge_->database();
  const data::Declaration declaration = read_declaration(manifest_, folder_);
  if (database.has_data()) {
    const data::schema::Plan plan = data::plan(*database.get(), declaration);
    if (plan.is_refused()) {
      throw Refusal({"data.migration_refused",
                     "Its data cannot become what this version declares: " + plan.to_text(),
                     folder_ + "/tables.json",
                     {}});
    }
  }
  std::unique_ptr<data::BegunSnapshot> begun;
  if (handover.from) {
    if (handover.begin_keeping && database.has_data())
      begun = handover.begin_keeping(*database.get());
    handover.is_suspended = true;
    handover.from->suspend(handover.hold);
  }
  handover.is_kept = true;
  handover.keep(database.has_data() ? database.get().get() : nullptr, begun.get());
  handover.is_touched = true;
}

void Activation::suspend(const std::shared_ptr<http::Hold>& hold) {
  is_suspended_ = true;
  jobs().detach(manifest_.id);
  if (follower_) follower_->stop_soon();
  const auto end = Clock::now() + environment_.jobs_patience;
  if (!jobs().wait_idle(manifest_.id, end)) jobs().give_up(manifest_.id);
  if (follower_ && follower_->wait_idle(end)) {
    follower_->stop();
    follower_.reset();
  }
  environment_.router.hold("/api/" + manifest_.id, hold);
  routes_->gate().close();
  routes_->gate().wait_idle(environment_.handover_patience);
  if (environment_.search) environment_.search->detach(manifest_.id);
  environment_.live.detach(manifest_.id);
  bridge_->database().hold_writes(environment_.writes_patience);
}

}  // namespace tenon::plugins

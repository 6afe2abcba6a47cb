#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include <tenon/plugin.hpp>

#include "uptime_settings.hpp"
#include "uptime_tables.hpp"

namespace uptime {

using tables::Checks;
using tables::Sites;
using tables::SitesState;
using Clock = std::chrono::steady_clock;

// The payload of a job is JSON: the ID of the site to check.
struct Order {
  std::string site;
};
void to_json(tenon::Json& json, const Order& order) {
  json = {{"site", order.site}};
}
void from_json(const tenon::Json& json, Order& order) {
  json.at("site").get_to(order.site);
}

struct Result {
  bool passed = false;
  std::optional<std::int64_t> status;
  std::optional<std::string> reason;
};

// A schedule creates one job for each site that is due. Jobs send the requests, because a slow site
// must not delay users.
class UptimePlugin : public tenon::Plugin {
 public:
  explicit UptimePlugin(tenon::Host& host) : Plugin(host) {
    host.jobs().on("plan", [this](const tenon::JobRun&) { plan(); });
    host.jobs().on("check", [this](const tenon::JobRun& run) { check(run.payload<Order>().site); });
    host.jobs().schedule({.name = "plan-checks", .cron = "* * * * *", .kind = "plan"});
    host.events().declare("changes", "uptime.view");
    host.http().post("/sites/{id}/check", tenon::access::permission("uptime.manage"),
                     {.summary = "Checks a site now"},
                     [this](const tenon::Request& request) { return check_now(request); });
  }

 private:
  void plan() {
    const std::chrono::minutes interval(settings::interval.get(host().settings()));
    // A check a few seconds early is better than one that is a minute late.
    const tenon::Time latest = tenon::now() - interval + std::chrono::seconds(5);
    for (const auto& site : tenon::Table<Sites>(database(), tenon::Actor::system()).all().list()) {
      if (!site.checked || *site.checked <= latest) enqueue(site.id.text());
    }
  }

  tenon::Response check_now(const tenon::Request& request) {
    const tenon::Table<Sites> sites(database(), tenon::Actor(request));
    const auto site = sites.get(tenon::Id<Sites>(std::string(request.param("id"))));
    if (!site) throw tenon::Error(404, "uptime.no_site", "There is no such site.");
    return tenon::Response::json({{"job", enqueue(site->id.text()).id}}, 202);
  }

  // A second job for the same site is not created while one waits.
  tenon::JobReceipt enqueue(const std::string& site) {
    return host().jobs().enqueue("check", Order{site}, {.key = site});
  }

  void check(const std::string& id) {
    const tenon::Id<Sites> site_id(id);
    const auto site = tenon::Table<Sites>(database(), tenon::Actor::system()).get(site_id);
    if (!site) return;  // deleted meanwhile
    const auto begin = Clock::now();
    const Result result = ask(site->url);
    const auto duration =
        std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin);
    const SitesState state = result.passed ? SitesState::up : SitesState::down;
    database().transaction([&](tenon::Transaction& db) {
      const tenon::Table<Sites> sites(db, tenon::Actor::system());
      const auto current = sites.get(site_id);
      if (!current) return;
      tenon::Table<Checks>(db, tenon::Actor::system())
          .insert({.site = site_id,
                   .passed = result.passed,
                   .status = result.status,
                   .milliseconds = duration.count(),
                   .reason = result.reason});
      tables::SitePatch patch{.state = state, .reason = result.reason, .checked = tenon::now()};
      if (current->state != state) {
        patch.since = tenon::now();
        host().events().publish(db, "changes",
                                {{"site", id}, {"name", site->name}, {"up", result.passed}});
      }
      sites.update(site_id, patch);
    });
  }

  Result ask(const std::string& url) {
    tenon::HttpRequest request;
    request.url = url;
    request.timeout = std::chrono::seconds(settings::timeout.get(host().settings()));
    try {
      const tenon::HttpResponse response = host().http_client().send(request);
      Result result{.passed = response.status() < 400, .status = response.status(), .reason = {}};
      if (!result.passed)
        result.reason = "The status is " + std::to_string(response.status()) + ".";
      return result;
    } catch (const tenon::Error& error) {
      // These say nothing about the site: the job runs again later.
      if (error.is(TENON_E_BUSY) || error.is(TENON_E_CLOSED)) throw;
      // The body is too large, so there is a response.
      if (error.is(TENON_E_TOO_LARGE)) return {.passed = true, .status = {}, .reason = {}};
      return {.passed = false, .status = {}, .reason = error.message().substr(0, 500)};
    }
  }
};

}  // namespace uptime

TENON_PLUGIN(uptime::UptimePlugin)

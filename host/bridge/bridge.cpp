#include "bridge/bridge.hpp"

#include <array>
#include <string>

#include <tenon/blobs.h>
#include <tenon/db.h>
#include <tenon/events.h>
#include <tenon/http.h>
#include <tenon/http_client.h>
#include <tenon/identity.h>
#include <tenon/jobs.h>
#include <tenon/log.h>
#include <tenon/search.h>
#include <tenon/services.h>
#include <tenon/settings.h>
#include <tenon/tables.h>

#include "bridge/blobs/blobs_interface.hpp"
#include "bridge/db/db_interface.hpp"
#include "bridge/db/function_migrations.hpp"
#include "bridge/db/plugin_database.hpp"
#include "bridge/events/events_interface.hpp"
#include "bridge/http/http_interface.hpp"
#include "bridge/http_client/http_client_interface.hpp"
#include "bridge/identity/identity_interface.hpp"
#include "bridge/jobs/jobs_interface.hpp"
#include "bridge/log/log_interface.hpp"
#include "bridge/services/services_interface.hpp"
#include "bridge/settings/settings_interface.hpp"
#include "bridge/spans.hpp"
#include "bridge/tables/search_interface.hpp"
#include "bridge/tables/tables_interface.hpp"
#include "observability/log.hpp"
#include "routing/route.hpp"

namespace tenon::plugins {

namespace {

struct Offer {
  std::string_view id;
  const void* table;
  std::uint32_t size;
};

template <typename Table>
Offer offer(std::string_view id, const Table& table) {
  return {id, &table, table.size};
}

std::string abi_text(unsigned minor) {
  return std::to_string(TENON_ABI_MAJOR) + "." + std::to_string(minor);
}

}  // namespace

std::shared_ptr<Bridge> Bridge::make(const BridgeServices& services, const Manifest& manifest,
                                     std::uint64_t generation,
                                     std::unique_ptr<PluginDatabase> database) {
  const std::shared_ptr<Bridge> bridge(
      new Bridge(services, manifest, generation, std::move(database)));
  services.settings->subscribe(
      manifest.id, std::shared_ptr<settings::Listener>(bridge, bridge->settings_.get()));
  return bridge;
}

Bridge::Bridge(const BridgeServices& services, const Manifest& manifest, std::uint64_t generation,
               std::unique_ptr<PluginDatabase> database)
    : services_(services),
      manifest_(manifest),
      name_(manifest.id),
      database_(std::move(database)),
      log_(std::make_unique<LogInterface>(*this)),
      http_(std::make_unique<HttpInterface>(*this)),
      db_(std::make_unique<DbInterface>(*this)),
      migrations_(std::make_unique<FunctionMigrations>(*this)),
      settings_(std::make_unique<SettingsInterface>(*this)),
      identity_(std::make_unique<IdentityInterface>(*this)),
      blobs_(std::make_unique<BlobsInterface>(*this)),
      jobs_(std::make_unique<JobsInterface>(*this)),
      tables_(std::make_unique<TablesInterface>(*this)),
      events_(std::make_unique<EventsInterface>(*this)),
      http_client_(std::make_unique<HttpClientInterface>(*this)),
      services_interface_(std::make_unique<ServicesInterface>(*this)) {
  host_.size = sizeof(tenon_host);
  host_.abi_major = TENON_ABI_MAJOR;
  host_.abi_minor = TENON_ABI_MINOR;
  host_.impl = this;
  host_.version = span(services_.host_version);
  host_.plugin_id = span(manifest_.id);
  host_.instance = services_.instance;
  host_.generation = generation;
  host_.get_interface = &Bridge::get_interface;
}

Bridge::~Bridge() = default;

void Bridge::move_to(Phase phase) noexcept {
  setting_up_.store(phase <= Phase::starting ? std::this_thread::get_id() : std::thread::id());
  phase_.store(phase, std::memory_order_seq_cst);
  if (phase >= Phase::quiescing) http_client_->quiesce();
}

bool Bridge::is_setting_up() const noexcept {
  return is_in(Phase::created, Phase::starting) && setting_up_.load() == std::this_thread::get_id();
}

const void* Bridge::get_interface(const tenon_host* host, tenon_span id,
                                  std::uint32_t need) noexcept {
  static const std::array<Offer, 12> offers{
      offer(TENON_LOG_ID, LogInterface::table),
      offer(TENON_HTTP_ID, HttpInterface::table),
      offer(TENON_DB_ID, DbInterface::table),
      offer(TENON_SETTINGS_ID, SettingsInterface::table),
      offer(TENON_IDENTITY_ID, IdentityInterface::table),
      offer(TENON_BLOBS_ID, BlobsInterface::table),
      offer(TENON_JOBS_ID, JobsInterface::table),
      offer(TENON_TABLES_ID, TablesInterface::table),
      offer(TENON_EVENTS_ID, EventsInterface::table),
      offer(TENON_SEARCH_ID, SearchInterface::table),
      offer(TENON_SERVICES_ID, ServicesInterface::table),
      offer(TENON_HTTP_CLIENT_ID, HttpClientInterface::table)};
  if (!host || !is_sound(id)) return nullptr;
  std::uint32_t size = 0;
  for (const Offer& known : offers) {
    if (known.id != view(id)) continue;
    if (need <= known.size) return known.table;
    size = known.size;
  }
  Bridge* bridge = of(host);
  if (!bridge->log().is_within_rate()) return nullptr;
  const observability::LogScope scope({}, bridge->plugin_id());
  observability::log_warning(
      size == 0 ? "this host lacks an interface that the plugin asks for"
                : "this host lacks functions of an interface that the plugin asks for",
      {{"interface", view(id)},
       {"host_abi", abi_text(TENON_ABI_MINOR)},
       {"plugin_abi", abi_text(static_cast<unsigned>(bridge->manifest_.abi_minor))},
       {"needs_bytes", need},
       {"has_bytes", size}});
  return nullptr;
}

std::shared_ptr<const routing::RouteSet> Bridge::make_routes(
    std::shared_ptr<http::WorkerShare> share) {
  return http_->make_routes(std::move(share));
}

void Bridge::close_gates() noexcept {
  gate_.close();
  services_interface_->unpublish();
}

std::int64_t Bridge::frames() const noexcept {
  return gate_.in_flight() + services_interface_->in_flight();
}

void Bridge::give_up_calls() noexcept {
  http_client_->give_up();
  http_->give_up();
  services_interface_->give_up();
}

void Bridge::drop_callbacks() noexcept {
  http_->drop_handlers();
  settings_->drop_watchers();
  jobs_->drop_handlers();
  tables_->drop_callbacks();
  migrations_->drop_all();
  services_interface_->drop_handlers();
}

void Bridge::close_database() noexcept {
  blobs_->close_all();
  db_->close_all();
  database_->close();
}

}  // namespace tenon::plugins

#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/blobs.hpp>
#include <tenon/database.hpp>
#include <tenon/detail/link.hpp>
#include <tenon/entry.h>
#include <tenon/events.hpp>
#include <tenon/http.hpp>
#include <tenon/http_client.hpp>
#include <tenon/identity.hpp>
#include <tenon/jobs.hpp>
#include <tenon/log.hpp>
#include <tenon/migration.hpp>
#include <tenon/records.hpp>
#include <tenon/search.hpp>
#include <tenon/services.hpp>
#include <tenon/settings.hpp>
#include <tenon/thread.hpp>

namespace tenon {

/// The host, as one plugin sees it: one object for each interface. An interface is requested at its
/// first use, so a plugin runs on a host that lacks interfaces the plugin does not call. Valid from
/// the plugin's constructor until its destructor has returned. Thread-safe.
class Host {
 public:
  /// Internal to the SDK and its tests. `host` must outlive this object.
  explicit Host(const tenon_host* host) noexcept
      : link_(host),
        http_(link_),
        database_(link_),
        migrations_(link_),
        settings_(link_),
        identity_(link_),
        blobs_(link_),
        jobs_(link_),
        records_(link_),
        events_(link_),
        search_(link_),
        services_(link_),
        http_client_(link_),
        log_(link_) {}

  Http& http() noexcept { return http_; }
  Database& database() noexcept { return database_; }
  Migrations& migrations() noexcept { return migrations_; }
  Settings& settings() noexcept { return settings_; }
  Identity& identity() noexcept { return identity_; }
  Blobs& blobs() noexcept { return blobs_; }
  Jobs& jobs() noexcept { return jobs_; }
  Records& records() noexcept { return records_; }
  Events& events() noexcept { return events_; }
  Search& search() noexcept { return search_; }
  Services& services() noexcept { return services_; }
  HttpClient& http_client() noexcept { return http_client_; }
  const Log& log() const noexcept { return log_; }

  /// Starts a thread that is joined automatically: `worker_ = host().thread("indexer",
  /// [this](std::stop_token stop) { … })`. Usable from start on.
  template <class F>
  [[nodiscard]] Thread thread(std::string name, F work) {
    link_.require(State::starting, State::quiescing, "a thread");
    return {link_, threads_, std::move(name), std::move(work)};
  }

  State state() const noexcept { return link_.state(); }
  /// Returns the semantic version of the host.
  std::string_view version() const noexcept { return detail::view(link_.host()->version); }
  std::string_view plugin_id() const noexcept { return detail::view(link_.host()->plugin_id); }
  /// Identifies this run of the host.
  std::uint64_t instance() const noexcept { return link_.host()->instance; }
  /// Returns the number of this activation of the plugin; it increases.
  std::uint64_t generation() const noexcept { return link_.host()->generation; }

  /// Returns the raw host, for functions that the SDK does not wrap yet.
  const tenon_host* raw() const noexcept { return link_.host(); }

  /// Internal to the SDK.
  detail::Link& link() noexcept { return link_; }
  detail::Threads& threads() noexcept { return threads_; }

 private:
  detail::Link link_;
  Http http_;
  Database database_;
  Migrations migrations_;
  Settings settings_;
  Identity identity_;
  Blobs blobs_;
  Jobs jobs_;
  Records records_;
  Events events_;
  Search search_;
  Services services_;
  HttpClient http_client_;
  Log log_;
  detail::Threads threads_;
};

}  // namespace tenon

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <tenon/blobs.h>
#include <tenon/db.h>
#include <tenon/entry.h>
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

namespace tenon::detail {

/// Traits of an interface: its id, the end of its first function (the minimum to request), its
/// index in a Link, the first minor version of the ABI that has it.
template <class Table>
struct Interface;

template <>
struct Interface<tenon_log> {
  static constexpr std::string_view id = TENON_LOG_ID;
  static constexpr std::uint32_t min_size = TENON_NEED(tenon_log, write);
  static constexpr std::size_t index = 0;
  static constexpr unsigned since = 9;
};

template <>
struct Interface<tenon_http> {
  static constexpr std::string_view id = TENON_HTTP_ID;
  static constexpr std::uint32_t min_size = TENON_NEED(tenon_http, add_route);
  static constexpr std::size_t index = 1;
  static constexpr unsigned since = 9;
};

template <>
struct Interface<tenon_db> {
  static constexpr std::string_view id = TENON_DB_ID;
  static constexpr std::uint32_t min_size = TENON_NEED(tenon_db, begin);
  static constexpr std::size_t index = 2;
  static constexpr unsigned since = 9;
};

template <>
struct Interface<tenon_settings> {
  static constexpr std::string_view id = TENON_SETTINGS_ID;
  static constexpr std::uint32_t min_size = TENON_NEED(tenon_settings, get);
  static constexpr std::size_t index = 3;
  static constexpr unsigned since = 9;
};

template <>
struct Interface<tenon_identity> {
  static constexpr std::string_view id = TENON_IDENTITY_ID;
  static constexpr std::uint32_t min_size = TENON_NEED(tenon_identity, requester);
  static constexpr std::size_t index = 4;
  static constexpr unsigned since = 9;
};

template <>
struct Interface<tenon_blobs> {
  static constexpr std::string_view id = TENON_BLOBS_ID;
  static constexpr std::uint32_t min_size = TENON_NEED(tenon_blobs, create);
  static constexpr std::size_t index = 5;
  static constexpr unsigned since = 10;
};

template <>
struct Interface<tenon_jobs> {
  static constexpr std::string_view id = TENON_JOBS_ID;
  static constexpr std::uint32_t min_size = TENON_NEED(tenon_jobs, set_handler);
  static constexpr std::size_t index = 6;
  static constexpr unsigned since = 10;
};

template <>
struct Interface<tenon_tables> {
  static constexpr std::string_view id = TENON_TABLES_ID;
  static constexpr std::uint32_t min_size = TENON_NEED(tenon_tables, before_write);
  static constexpr std::size_t index = 7;
  static constexpr unsigned since = 10;
};

template <>
struct Interface<tenon_events> {
  static constexpr std::string_view id = TENON_EVENTS_ID;
  static constexpr std::uint32_t min_size = TENON_NEED(tenon_events, declare);
  static constexpr std::size_t index = 8;
  static constexpr unsigned since = 10;
};

template <>
struct Interface<tenon_search> {
  static constexpr std::string_view id = TENON_SEARCH_ID;
  static constexpr std::uint32_t min_size = TENON_NEED(tenon_search, find);
  static constexpr std::size_t index = 9;
  static constexpr unsigned since = 10;
};

template <>
struct Interface<tenon_services> {
  static constexpr std::string_view id = TENON_SERVICES_ID;
  static constexpr std::uint32_t min_size = TENON_NEED(tenon_services, offer);
  static constexpr std::size_t index = 10;
  static constexpr unsigned since = 11;
};

template <>
struct Interface<tenon_http_client> {
  static constexpr std::string_view id = TENON_HTTP_CLIENT_ID;
  static constexpr std::uint32_t min_size = TENON_NEED(tenon_http_client, send);
  static constexpr std::size_t index = 11;
  static constexpr unsigned since = 13;
};

inline constexpr std::size_t interface_count = 12;

}  // namespace tenon::detail

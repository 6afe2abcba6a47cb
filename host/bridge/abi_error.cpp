#include "bridge/abi_error.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "bridge/spans.hpp"
#include "data/sql_error.hpp"
#include "observability/log.hpp"

namespace tenon::plugins {

namespace {

struct Known {
  std::string_view name;
  tenon_code code;
};
constexpr std::array<Known, 56> known_errors{{
    {"blobs.disk_full", TENON_E_DISK_FULL},
    {"blobs.key_invalid", TENON_E_INVALID},
    {"blobs.not_found", TENON_E_NOT_FOUND},
    {"blobs.quota", TENON_E_DISK_FULL},
    {"blobs.too_large", TENON_E_TOO_LARGE},
    {"blobs.too_many_claims", TENON_E_TOO_LARGE},
    {"blobs.write_failed", TENON_E_STATE},
    {"plugins.invalid_argument", TENON_E_INVALID},
    {"plugins.route_taken", TENON_E_INVALID},
    {"plugins.stale_handle", TENON_E_HANDLE},
    {"plugins.wrong_state", TENON_E_STATE},
    {"data.busy", TENON_E_BUSY},
    {"data.check", TENON_E_CONSTRAINT},
    {"data.closed", TENON_E_STATE},
    {"data.denied", TENON_E_DENIED},
    {"data.disk_full", TENON_E_DISK_FULL},
    {"data.group_rolled_back", TENON_E_BUSY},
    {"data.read_only", TENON_E_DENIED},
    {"data.reference", TENON_E_CONSTRAINT},
    {"data.refused", TENON_E_CONSTRAINT},
    {"data.required", TENON_E_CONSTRAINT},
    {"data.sql", TENON_E_SQL},
    {"data.timeout", TENON_E_TIMEOUT},
    {"data.too_large", TENON_E_TOO_LARGE},
    {"data.transaction_expired", TENON_E_TIMEOUT},
    {"data.transaction_over", TENON_E_STATE},
    {"data.type", TENON_E_CONSTRAINT},
    {"data.unique", TENON_E_CONSTRAINT},
    {"http_client.address_refused", TENON_E_DENIED},
    {"http_client.busy", TENON_E_BUSY},
    {"http_client.cancelled", TENON_E_CLOSED},
    {"http_client.invalid", TENON_E_INVALID},
    {"http_client.not_allowed", TENON_E_DENIED},
    {"http_client.request_too_large", TENON_E_TOO_LARGE},
    {"http_client.response_invalid", TENON_E_UNAVAILABLE},
    {"http_client.timeout", TENON_E_TIMEOUT},
    {"http_client.too_large", TENON_E_TOO_LARGE},
    {"http_client.too_many_redirects", TENON_E_UNAVAILABLE},
    {"http_client.unreachable", TENON_E_UNAVAILABLE},
    {"http_client.url_invalid", TENON_E_INVALID},
    {"jobs.cron_invalid", TENON_E_INVALID},
    {"jobs.finished", TENON_E_STATE},
    {"jobs.invalid", TENON_E_INVALID},
    {"jobs.time_zone_unknown", TENON_E_INVALID},
    {"jobs.too_large", TENON_E_TOO_LARGE},
    {"jobs.too_many", TENON_E_BUSY},
    {"jobs.unknown", TENON_E_NOT_FOUND},
    {"json.invalid", TENON_E_INVALID},
    {"json.too_large", TENON_E_TOO_LARGE},
    {"identity.busy", TENON_E_BUSY},
    {"records.bad_body", TENON_E_INVALID},
    {"records.conflict", TENON_E_CONSTRAINT},
    {"records.exists", TENON_E_CONSTRAINT},
    {"records.forbidden", TENON_E_DENIED},
    {"records.not_found", TENON_E_NOT_FOUND},
    {"records.validation", TENON_E_INVALID},
}};

// Zero-terminated, cut between characters.
void put(char* out, std::size_t capacity, std::string_view text) noexcept {
  std::size_t end = 0;
  while (end < text.size()) {
    const std::size_t length = std::max<std::size_t>(base::utf8_sequence_length(text, end), 1);
    if (end + length >= capacity) break;
    end += length;
  }
  std::memcpy(out, text.data(), end);
  std::memset(out + end, 0, capacity - end);
}

}  // namespace

tenon_code fail(tenon_error* out, tenon_code code, int status, std::string_view name,
                std::string_view message) noexcept {
  if (!out) return code;
  tenon_error filled;
  filled.code = code;
  filled.status = static_cast<std::uint32_t>(status);
  filled.reserved = 0;
  put(filled.name, sizeof(filled.name), name);
  put(filled.message, sizeof(filled.message), message);
  copy_out(out, filled);
  return code;
}

tenon_code fail_argument(tenon_error* out, std::string_view message) noexcept {
  return fail(out, TENON_E_INVALID, 500, "plugins.invalid_argument", message);
}

tenon_code fail_state(tenon_error* out, std::string_view message) noexcept {
  return fail(out, TENON_E_STATE, 503, "plugins.wrong_state", message);
}

tenon_code code_of(const base::Error& error) noexcept {
  const auto found =
      std::find_if(known_errors.begin(), known_errors.end(),
                   [&error](const Known& known) { return known.name == error.code(); });
  return found == known_errors.end() ? TENON_E_INTERNAL : found->code;
}

tenon_code fail_exception(tenon_error* out) noexcept {
  try {
    throw;
  } catch (const data::SqlError& error) {
    // The author of the statement may see SQLite's message. An unavailable database is not the
    // plugin's fault, and its message goes to users unchanged.
    const bool is_about_statement = error.status() <= 500;
    return fail(out, code_of(error), error.status(), error.code(),
                is_about_statement && !error.detail().empty() ? error.detail() : error.message());
  } catch (const base::Error& error) {
    return fail(out, code_of(error), error.status(), error.code(), error.message());
  } catch (const std::bad_alloc&) {
    return fail(out, TENON_E_MEMORY, 503, "plugins.out_of_memory", "There is not enough memory.");
  } catch (const std::exception& error) {
    observability::log_error("a call of a plugin failed inside the host", {{"what", error.what()}});
  } catch (...) {
    observability::log_error("a call of a plugin failed inside the host");
  }
  return fail(out, TENON_E_INTERNAL, 500, "plugins.internal",
              "Something went wrong in the host; its log says more.");
}

}  // namespace tenon::plugins

#include "records/service/idempotency.hpp"

#include "base/error.hpp"
#include "base/ids.hpp"
#include "data/transaction.hpp"
#include "records/model/limits.hpp"
#include "records/query/dialect.hpp"
#include "records/query/query_text.hpp"

namespace tenon::records {

namespace {

constexpr std::string_view location_field = "Location";
constexpr std::string_view etag_field = "ETag";

[[noreturn]] void refuse_key(const std::string& what) {
  throw base::Error(400, "records.bad_idempotency_key", "Idempotency-Key: " + what);
}

std::string field_of(const http::Response& response, std::string_view name) {
  for (const auto& [known, value] : response.fields) {
    if (known == name) return value;
  }
  return {};
}

}  // namespace

std::optional<IdempotencyKey> read_idempotency_key(const http::Exchange& exchange,
                                                   const expression::Context& context) {
  const http::Request& request = exchange.request();
  const std::string_view field = request.field("idempotency-key");
  if (field.empty()) return std::nullopt;
  const auto key = read_quoted(field);
  if (!key || key->empty() || key->size() > max_idempotency_key_bytes)
    refuse_key("1 to " + std::to_string(max_idempotency_key_bytes) +
               " characters of ASCII in quotes are expected.");
  if (!context.user()) refuse_key("sign in to use it.");
  std::string request_text(request.path);
  request_text.append(1, '\0').append(request.query).append(1, '\0').append(request.body);
  return IdempotencyKey{*context.user(), *key, base::sha256_hex(request_text)};
}

std::unique_ptr<InFlightKeys::Hold> InFlightKeys::hold(const std::shared_ptr<InFlightKeys>& keys,
                                                       const IdempotencyKey& key) {
  std::pair<std::string, std::string> named(key.user, key.text);
  {
    const std::lock_guard lock(keys->mutex_);
    if (!keys->running_.insert(named).second)
      throw base::Error(409, "records.idempotency_running",
                        "The first request with this Idempotency-Key is still on its way. Try "
                        "again in a moment.");
  }
  return std::make_unique<Hold>(keys, std::move(named));
}

void InFlightKeys::remove(const std::pair<std::string, std::string>& key) {
  const std::lock_guard lock(mutex_);
  running_.erase(key);
}

bool IdempotencyStore::has_table() {
  return transaction_.query(dialect::find_table(engine_), {"tenon_idempotency"}).next();
}

std::optional<http::Response> IdempotencyStore::find(const IdempotencyKey& key) {
  if (!has_table()) return std::nullopt;
  data::Rows rows = transaction_.query(
      "SELECT fingerprint, status, location, etag, body FROM tenon_idempotency "
      "WHERE \"user\" = ?1 AND \"key\" = ?2 AND made > ?3",
      {key.user, key.text, now_ - response_retention_ms});
  if (!rows.next()) return std::nullopt;
  if (rows.text(0) != key.fingerprint)
    throw base::Error(422, "records.idempotency_mismatch",
                      "This Idempotency-Key was used for another request. Take a new one.");
  http::Response response =
      http::json_response(static_cast<int>(rows.integer(1)), std::string(rows.text(4)));
  if (!rows.is_null(2)) response.with(std::string(location_field), std::string(rows.text(2)));
  if (!rows.is_null(3)) response.with(std::string(etag_field), std::string(rows.text(3)));
  return response;
}

void IdempotencyStore::keep(const IdempotencyKey& key, const http::Response& response) {
  if (!has_table()) {
    for (const std::string_view statement : dialect::idempotency_table)
      transaction_.exec_as_host(dialect::host_table(engine_, statement));
  }
  // Deletes more than one request adds, so that expired entries go, and no request pays for all.
  transaction_.exec_as_host(
      "DELETE FROM tenon_idempotency WHERE (\"user\", \"key\") IN (SELECT \"user\", \"key\" FROM "
      "tenon_idempotency WHERE made <= ?1 ORDER BY made LIMIT 100)",
      {now_ - response_retention_ms});
  const auto& body = std::get<std::string>(response.body);
  data::Rows rows = transaction_.query(
      "SELECT count(*), coalesce(sum(bytes), 0) FROM tenon_idempotency "
      "WHERE \"user\" = ?1 AND made > ?2",
      {key.user, now_ - response_retention_ms});
  rows.next();
  const bool is_full = rows.integer(0) >= static_cast<std::int64_t>(max_retained_responses) ||
                       rows.integer(1) + static_cast<std::int64_t>(body.size()) >
                           static_cast<std::int64_t>(max_retained_response_bytes);
  while (rows.next()) {
  }
  if (is_full)
    throw base::Error(429, "records.too_many_keys",
                      "You have used too many Idempotency-Keys today. Send it without one, or "
                      "later.");
  // An expired entry of this key that was not among the deleted ones.
  transaction_.exec_as_host("DELETE FROM tenon_idempotency WHERE \"user\" = ?1 AND \"key\" = ?2",
                            {key.user, key.text});
  const std::string location = field_of(response, location_field);
  const std::string etag = field_of(response, etag_field);
  const auto or_null = [](const std::string& text) {
    return text.empty() ? data::Cell() : data::Cell(text);
  };
  transaction_.exec_as_host(
      "INSERT INTO tenon_idempotency (\"user\", \"key\", fingerprint, made, status, location, "
      "etag, "
      "bytes, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
      {key.user, key.text, key.fingerprint, now_, response.status, or_null(location), or_null(etag),
       body.size(), body});
}

}  // namespace tenon::records

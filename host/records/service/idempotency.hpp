#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "data/dialect.hpp"
#include "expression/context.hpp"
#include "http/connection/exchange.hpp"
#include "http/response/response.hpp"

namespace tenon::data {
class Transaction;
}

namespace tenon::records {

/// A POST that may come again: Idempotency-Key (draft-ietf-httpapi-idempotency-key-header).
struct IdempotencyKey {
  std::string user;
  std::string text;         ///< as the client made it
  std::string fingerprint;  ///< of path, query and body
};

/// Reads the Idempotency-Key header; nothing if it is missing. Throws 400
/// records.bad_idempotency_key for an invalid key, and if no user is signed in.
std::optional<IdempotencyKey> read_idempotency_key(const http::Exchange& exchange,
                                                   const expression::Context& context);

/// The keys of one plugin whose first request is on its way. Thread-safe.
class InFlightKeys {
 public:
  /// Keeps a key until it goes.
  class Hold {
   public:
    Hold(std::shared_ptr<InFlightKeys> keys, std::pair<std::string, std::string> key)
        : keys_(std::move(keys)), key_(std::move(key)) {}
    ~Hold() { keys_->remove(key_); }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

   private:
    const std::shared_ptr<InFlightKeys> keys_;
    const std::pair<std::string, std::string> key_;
  };

  /// Throws 409 records.idempotency_running where another one holds it.
  static std::unique_ptr<Hold> hold(const std::shared_ptr<InFlightKeys>& keys,
                                    const IdempotencyKey& key);

 private:
  void remove(const std::pair<std::string, std::string>& key);

  std::mutex mutex_;
  std::set<std::pair<std::string, std::string>> running_;  ///< user, text
};

/// Stores the responses to POSTs with a key in the plugin's database for response_retention_ms.
/// Writes in the transaction of the change itself: both are stored or none.
class IdempotencyStore {
 public:
  /// `now` in milliseconds since 1970.
  IdempotencyStore(data::Transaction& transaction, data::Dialect engine, std::int64_t now)
      : transaction_(transaction), engine_(engine), now_(now) {}

  /// Returns the response that the key got. Throws 422 records.idempotency_mismatch if the key was
  /// used for another request.
  std::optional<http::Response> find(const IdempotencyKey& key);
  /// Throws 429 records.too_many_keys.
  void keep(const IdempotencyKey& key, const http::Response& response);

 private:
  bool has_table();

  data::Transaction& transaction_;
  const data::Dialect engine_;
  const std::int64_t now_;
};

}  // namespace tenon::records

#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include <tenon/services.h>

#include "bridge/handle_table.hpp"
#include "routing/lease.hpp"

namespace tenon::plugins {

class Bridge;

/// The response to a call; filled on any thread of the provider.
struct ServiceResponse {
  std::mutex mutex;
  std::string bytes;
  bool is_given = false;
};

/// A call inside the plugin, by number.
struct OpenServiceCall {
  std::shared_ptr<ServiceResponse> response;

  std::shared_ptr<ServiceResponse> finish() noexcept { return std::move(response); }
};

/// tenon.services/1 of one activation: what it offers, and its calls of others. The directory of
/// the host says which activation of a plugin is called; each call holds a lease on it until its
/// frame has returned.
class ServicesInterface {
 public:
  static constexpr std::size_t max_services = 32;               ///< beyond: TENON_E_TOO_LARGE
  static constexpr std::size_t max_name_bytes = 48;             ///< of a service
  static constexpr std::size_t max_method_bytes = 64;           ///< of a method
  static constexpr std::uint32_t max_revision = 9'999;          ///< of a service
  static constexpr std::uint64_t max_bytes = 16 * 1024 * 1024;  ///< of a request, and of a response
  static constexpr int max_depth = 8;                ///< calls inside each other: TENON_E_STATE
  static constexpr std::uint32_t max_calls = 1'024;  ///< inside a provider: TENON_E_BUSY
  static constexpr std::chrono::milliseconds default_deadline{10'000};
  static constexpr std::chrono::milliseconds max_deadline{60'000};

  static const tenon_services table;

  explicit ServicesInterface(Bridge& bridge);

  /// Makes the services callable from now on; replaces another generation of the plugin.
  void publish();
  /// Removes the services from the directory and refuses further calls.
  void unpublish();
  /// Waits for calls inside, once it is unpublished; false if the deadline came first.
  bool wait_idle(std::chrono::milliseconds deadline) const { return gate_.wait_idle(deadline); }
  /// Number of calls inside; exact once it is unpublished.
  std::int64_t in_flight() const noexcept { return gate_.in_flight(); }
  /// Refuses responses to calls that are still pending.
  void give_up() noexcept { is_given_up_ = true; }
  void drop_handlers() noexcept;

  routing::LeaseGate& gate() noexcept { return gate_; }

 private:
  friend struct ServicesFunctions;

  using Clock = std::chrono::steady_clock;
  struct Offered {
    std::uint32_t revision;
    tenon_services_handler handler;
  };
  struct CallRequest;
  class Inside;

  tenon_code offer(tenon_span name, std::uint32_t revision, const tenon_services_handler& handler,
                   tenon_error* error);
  tenon_code call(const tenon_services_call* call, const tenon_text_sink* sink, tenon_error* error);
  tenon_code respond(tenon_handle request, tenon_span response);

  tenon_code read(const tenon_services_call& call, CallRequest& asked, tenon_error* error) const;
  tenon_code serve(const CallRequest& asked, std::string& response, tenon_error* error);
  tenon_code refuse_inside(const CallRequest& asked, tenon_code code, const tenon_error& said,
                           tenon_error* error) const;

  Bridge& bridge_;
  std::map<std::string, Offered, std::less<>> offered_;  // grows in create and start only
  HandleTable<OpenServiceCall> calls_;
  routing::LeaseGate gate_;
  std::atomic<bool> is_given_up_{false};
};

}  // namespace tenon::plugins

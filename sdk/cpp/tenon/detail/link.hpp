#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include <tenon/detail/interface.hpp>
#include <tenon/error.hpp>

namespace tenon {

/// The states of a plugin, in order.
enum class State : std::uint8_t { created, starting, active, quiescing, stopping, gone };

namespace detail {

/// True while an inline route runs on this thread. A trivial type: a destructor would keep the
/// library mapped.
inline constinit thread_local bool in_inline_route = false;

/// State that all classes of the SDK share: the raw host, the state of the plugin, and the number
/// of open responses. Thread-safe. Valid from create until destroy.
class Link {
 public:
  explicit Link(const tenon_host* host) noexcept : host_(host) {}
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  const tenon_host* host() const noexcept { return host_; }
  State state() const noexcept { return state_.load(std::memory_order_acquire); }
  void enter(State state) noexcept { state_.store(state, std::memory_order_release); }

  /// Returns the number of deferred responses that were not sent yet.
  std::atomic<std::int64_t>& pending_responses() noexcept { return pending_responses_; }

  /// Returns the table of an interface, which is requested once; null if the host does not have it.
  template <class Table>
  const Table* find() noexcept {
    auto& cached = slot_of<Table>();
    const void* table = cached.load(std::memory_order_acquire);
    if (table == nullptr) {
      table = host_->get_interface(host_, span(Interface<Table>::id), Interface<Table>::min_size);
      cached.store(table, std::memory_order_release);
    }
    return static_cast<const Table*>(table);
  }

  /// Returns the table if it has at min_size `bytes` bytes. Otherwise throws an Error that names
  /// the missing function. So a plugin that does not call a later function runs on a host without
  /// it.
  template <class Table>
  const Table& need(std::uint32_t bytes, std::string_view slot) {
    const Table* table = find<Table>();
    if (table == nullptr || table->size < bytes) {
      throw lacking(Interface<Table>::id, slot,
                    table == nullptr ? Interface<Table>::since : TENON_ABI_MINOR);
    }
    return *table;
  }

  /// Throws Misuse unless the plugin is between the two states, both included.
  void require(State first, State last, const char* what) const {
    const State now = state();
    if (now < first || now > last) {
      throw Misuse(std::string(what) + (now < first ? ": used too early in the plugin's life cycle"
                                                    : ": used after the plugin has stopped"));
    }
  }

  /// Throws Misuse on a thread that must not block.
  static void require_blocking(const char* what) {
    if (in_inline_route) throw Misuse(std::string(what) + ": an inline route must not block");
  }

  /// Writes a line to the host's log. Never throws.
  void report(std::uint32_t level, std::string_view message, std::string_view detail,
              tenon_handle request = 0) noexcept {
    const tenon_log* log = find<tenon_log>();
    if (log == nullptr) return;
    const tenon_log_field field{TENON_LITERAL("error"), span(detail)};
    log->write(host_, level, span(message), &field, detail.empty() ? 0u : 1u, request);
  }

 private:
  template <class Table>
  std::atomic<const void*>& slot_of() noexcept {
    return tables_[Interface<Table>::index];
  }

  Error lacking(std::string_view id, std::string_view slot, unsigned minor) const {
    const auto version = [](unsigned number) {
      return std::to_string(TENON_ABI_MAJOR) + "." + std::to_string(number);
    };
    return {501, "host.unsupported",
            std::string("This host does not offer ").append(id).append(": ").append(slot) +
                ". ABI " + version(minor) + " has it, this host has ABI " +
                version(host_->abi_minor) + "."};
  }

  const tenon_host* host_;
  std::atomic<State> state_{State::created};
  std::atomic<std::int64_t> pending_responses_{0};
  std::array<std::atomic<const void*>, interface_count> tables_{};
};

}  // namespace detail
}  // namespace tenon

/// Calls a function of an interface. Throws tenon::Error if the table of this host ends before it.
#define TENON_CALL(link, table, slot, ...)                   \
  ((link)                                                    \
       .template need<table>(TENON_NEED(table, slot), #slot) \
       .slot((link).host() __VA_OPT__(, ) __VA_ARGS__))

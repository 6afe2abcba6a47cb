#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include <tenon/detail/interface.hpp>
#include <tenon/error.hpp>

namespace tenon {

/// Where a plugin is in its life, in order.
enum class State : std::uint8_t { created, starting, active, quiescing, stopping, gone };

namespace detail {

/// Set while a route that promised never to block runs on this thread. Trivial, so that it keeps no
/// library mapped.
inline constinit thread_local bool in_inline_route = false;

/// What every class of the wrapper shares: the raw host, where the plugin is in its life, and what
/// is still owed. Thread-safe. Lives from create until destroy.
class Link {
 public:
  explicit Link(const tenon_host* host) noexcept : host_(host) {}
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  const tenon_host* host() const noexcept { return host_; }
  State state() const noexcept { return state_.load(std::memory_order_acquire); }
  void enter(State state) noexcept { state_.store(state, std::memory_order_release); }

  /// Answers that were promised and not given yet.
  std::atomic<std::int64_t>& open_answers() noexcept { return open_answers_; }

  /// The table of an interface, asked for once; null where the host has none.
  template <class Table>
  const Table* find() noexcept {
    auto& cached = slot_of<Table>();
    const void* table = cached.load(std::memory_order_acquire);
    if (table == nullptr) {
      table = host_->get_interface(host_, span(Interface<Table>::id), Interface<Table>::least);
      cached.store(table, std::memory_order_release);
    }
    return static_cast<const Table*>(table);
  }

  /// The table, when it reaches `need` bytes; else an Error that names what is missing. So a plugin
  /// that never calls a later slot runs on a host that does not have it.
  template <class Table>
  const Table& need(std::uint32_t bytes, std::string_view slot) {
    const Table* table = find<Table>();
    if (table == nullptr || table->size < bytes) throw lacking(Interface<Table>::id, slot);
    return *table;
  }

  /// Throws Misuse unless the plugin is between the two states, both included.
  void require(State first, State last, const char* what) const {
    const State now = state();
    if (now < first || now > last) {
      throw Misuse(std::string(what) +
                   (now < first ? ": too early in the plugin's life" : ": the plugin has stopped"));
    }
  }

  /// Throws Misuse on a thread that must not block.
  static void require_blocking(const char* what) {
    if (in_inline_route) throw Misuse(std::string(what) + ": an inline route must not block");
  }

  /// Writes a line to the host's log without ever throwing.
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

  static Error lacking(std::string_view id, std::string_view slot) {
    return {501, "host.unsupported",
            std::string("This host does not offer ").append(id).append(": ").append(slot) + "."};
  }

  const tenon_host* host_;
  std::atomic<State> state_{State::created};
  std::atomic<std::int64_t> open_answers_{0};
  std::array<std::atomic<const void*>, interface_count> tables_{};
};

}  // namespace detail
}  // namespace tenon

/// Calls a slot of an interface; throws tenon::Error when this host's table ends before it.
#define TENON_CALL(link, table, slot, ...)                   \
  ((link)                                                    \
       .template need<table>(TENON_NEED(table, slot), #slot) \
       .slot((link).host() __VA_OPT__(, ) __VA_ARGS__))

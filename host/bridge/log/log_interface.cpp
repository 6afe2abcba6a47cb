#include "bridge/log/log_interface.hpp"

#include <array>
#include <span>
#include <string_view>

#include "base/clock.hpp"
#include "bridge/abi_error.hpp"
#include "bridge/bridge.hpp"
#include "bridge/http/http_interface.hpp"
#include "bridge/spans.hpp"
#include "observability/log.hpp"
#include "observability/recorder.hpp"
#include "routing/context.hpp"

namespace tenon::plugins {

namespace {

using observability::Level;
using observability::LogField;

bool read_level(std::uint32_t number, Level& level) noexcept {
  switch (number) {
    case TENON_LOG_DEBUG:
      level = Level::debug;
      return true;
    case TENON_LOG_INFO:
      level = Level::info;
      return true;
    case TENON_LOG_WARNING:
      level = Level::warning;
      return true;
    case TENON_LOG_ERROR:
      level = Level::error;
      return true;
    default:
      return false;
  }
}

std::string_view cut(std::string_view text) noexcept {
  std::size_t end = std::min<std::size_t>(text.size(), LogInterface::max_message_bytes);
  // Not inside a character.
  while (end != text.size() && end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80)
    --end;
  return text.substr(0, end);
}

}  // namespace

const tenon_log LogInterface::table = {sizeof(tenon_log), 0, &LogInterface::write,
                                       &LogInterface::enabled};

bool LogInterface::is_within_rate() noexcept {
  const auto second = static_cast<std::uint64_t>(base::monotonic_nanoseconds() / 1'000'000'000);
  std::uint64_t old = window_.load(std::memory_order_relaxed);
  std::uint64_t next = 0;
  do {
    const bool is_same = (old >> 32) == (second & 0xffffffff);
    if (is_same && (old & 0xffffffff) >= max_lines) {
      dropped_.fetch_add(1, std::memory_order_relaxed);
      return false;
    }
    next = is_same ? old + 1 : (second << 32) + 1;
  } while (!window_.compare_exchange_weak(old, next, std::memory_order_relaxed));
  return true;
}

tenon_code LogInterface::write(const tenon_host* host, std::uint32_t level, tenon_span message,
                               const tenon_log_field* fields, std::uint32_t field_count,
                               tenon_handle request) noexcept {
  Bridge* bridge = Bridge::of(host);
  Level known = Level::info;
  if (!bridge || !read_level(level, known) || !is_sound(message) || (field_count != 0 && !fields))
    return TENON_E_INVALID;
  return guarded(nullptr, [&]() -> tenon_code {
    const std::uint32_t count = std::min(field_count, max_fields);
    for (std::uint32_t i = 0; i < count; ++i) {
      if (!is_sound(fields[i].name) || !is_sound(fields[i].value)) return TENON_E_INVALID;
    }
    if (!observability::log().enabled(known)) return TENON_OK;
    LogInterface& own = bridge->log();
    if (!own.is_within_rate()) return TENON_OK;

    std::vector<LogField> named;
    named.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i)
      named.emplace_back(cut(view(fields[i].name)), cut(view(fields[i].value)));
    const CallRef call = bridge->http().find(request);
    observability::Work work;
    if (call) work = routing::context(*call->exchange).work;
    work.plugin = bridge->plugin_id();
    const observability::WorkScope scope(&work);
    const std::uint64_t dropped = own.dropped_.load(std::memory_order_relaxed);
    if (const std::uint64_t before = own.reported_.exchange(dropped, std::memory_order_relaxed);
        before < dropped) {
      observability::log_warning("lines of this plugin were dropped, it wrote too many",
                                 {{"dropped", dropped - before}});
    }
    observability::log().write(known, cut(view(message)), std::span<const LogField>(named));
    // The log records its lines from warnings on.
    if (known < Level::warning)
      observability::recorder().add_log(bridge->plugin_id(), known, view(message), named);
    return request != 0 && !call ? TENON_E_HANDLE : TENON_OK;
  });
}

tenon_code LogInterface::enabled(const tenon_host* host, std::uint32_t level) noexcept {
  Level known = Level::info;
  if (!host || !read_level(level, known)) return TENON_E_INVALID;
  return observability::log().enabled(known) ? 1 : 0;
}

}  // namespace tenon::plugins

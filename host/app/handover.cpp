#include "app/handover.hpp"

#include <array>
#include <charconv>
#include <cstddef>

#include <unistd.h>

namespace tenon::app {

namespace {

constexpr std::size_t numbers = 8;

}  // namespace

void Handover::tell(char message) const noexcept {
  if (channel >= 0) static_cast<void>(!::write(channel, &message, 1));
}

std::string to_argument(const Handover& handover) {
  const plugins::Death death = handover.restart.death.value_or(plugins::Death{});
  const std::array<int, numbers> values{handover.listening,
                                        handover.channel,
                                        handover.is_announced ? 1 : 0,
                                        static_cast<int>(handover.restarts),
                                        handover.restart.is_safe_mode ? 1 : 0,
                                        death.process,
                                        death.signal,
                                        death.exit_code};
  std::string text;
  for (const int value : values) {
    if (!text.empty()) text += ':';
    text += std::to_string(value);
  }
  return text;
}

std::optional<Handover> read_handover(std::string_view argument) {
  std::array<int, numbers> values{};
  const char* at = argument.data();
  const char* const end = at + argument.size();
  for (std::size_t i = 0; i < numbers; ++i) {
    if (i != 0 && (at == end || *at++ != ':')) return std::nullopt;
    const auto [next, failure] = std::from_chars(at, end, values[i]);
    if (failure != std::errc() || values[i] < 0) return std::nullopt;
    at = next;
  }
  if (at != end) return std::nullopt;
  Handover handover;
  handover.listening = values[0];
  handover.channel = values[1];
  handover.is_announced = values[2] != 0;
  handover.restarts = static_cast<unsigned>(values[3]);
  handover.restart.is_safe_mode = values[4] != 0;
  if (values[5] != 0) handover.restart.death = plugins::Death{values[5], values[6], values[7]};
  return handover;
}

}  // namespace tenon::app

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

/// Checks a property of the code under test. If it does not hold, the run ends and the input is
/// kept as a finding.
#define TENON_HOLDS(condition)                                                            \
  do {                                                                                    \
    if (!(condition)) {                                                                   \
      std::fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                       \
    }                                                                                     \
  } while (false)

/// The entry that every target defines; libFuzzer calls it for each input.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace tenon::fuzz {

/// The input as text.
inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Cuts the first line off: it contains small parameters of a target, so that seeds stay readable.
inline std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  return line;
}

/// A copy with its own allocation, so that reading outside of it is noticed.
class Piece {
 public:
  explicit Piece(std::string_view text) : bytes_(text.begin(), text.end()) {}
  std::string_view get() const { return {bytes_.data(), bytes_.size()}; }

 private:
  std::vector<char> bytes_;
};

/// True when `part` lies within `whole` in memory. An empty part lies everywhere.
inline bool is_within(std::string_view part, std::string_view whole) {
  return part.empty() ||
         (part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
}

}  // namespace tenon::fuzz

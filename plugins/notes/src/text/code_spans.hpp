#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace notes::text {

/// The code spans of one block: a run of backticks and the next run of the same length. Built in
/// linear time and memory.
class CodeSpans {
 public:
  explicit CodeSpans(std::string_view block);

  /// The offset after the code span that begins with the run of backticks at `position`, or after
  /// the run itself when nothing closes it. `position` must be the beginning of a run, and ascend
  /// from call to call.
  std::size_t skip(std::size_t position);

 private:
  struct Run {
    std::size_t begin;
    std::size_t length;
    std::size_t closing;  ///< index of the next run of this length, 0 for none
  };
  std::vector<Run> runs_;
  std::size_t current_ = 0;
};

}  // namespace notes::text

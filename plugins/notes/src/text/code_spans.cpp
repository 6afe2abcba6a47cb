#include "text/code_spans.hpp"

namespace notes::text {

CodeSpans::CodeSpans(std::string_view block) {
  std::size_t max_length = 0;
  for (std::size_t position = block.find('`'); position != std::string_view::npos;
       position = block.find('`', position)) {
    const std::size_t begin = position;
    while (position < block.size() && block[position] == '`')
      ++position;
    runs_.push_back({begin, position - begin, 0});
    if (position - begin > max_length) max_length = position - begin;
  }
  std::vector<std::size_t> next_of_length(max_length + 1, 0);
  for (std::size_t i = runs_.size(); i-- > 0;) {
    runs_[i].closing = next_of_length[runs_[i].length];
    next_of_length[runs_[i].length] = i;
  }
}

std::size_t CodeSpans::skip(std::size_t position) {
  while (current_ < runs_.size() && runs_[current_].begin < position)
    ++current_;
  if (current_ == runs_.size()) return position + 1;
  const Run& run = runs_[current_];
  const Run& last = run.closing == 0 ? run : runs_[run.closing];
  return last.begin + last.length;
}

}  // namespace notes::text

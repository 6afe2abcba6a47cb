#include "text/code_spans.hpp"

namespace notes::text {

CodeSpans::CodeSpans(std::string_view block) {
  std::size_t max_length = 0;
  for (std::size_t place = block.find('`'); place != std::string_view::npos;
       place = block.find('`', place)) {
    const std::size_t begin = place;
    while (place < block.size() && block[place] == '`')
      ++place;
    runs_.push_back({begin, place - begin, 0});
    if (place - begin > max_length) max_length = place - begin;
  }
  std::vector<std::size_t> next_of_length(max_length + 1, 0);
  for (std::size_t i = runs_.size(); i-- > 0;) {
    runs_[i].closing = next_of_length[runs_[i].length];
    next_of_length[runs_[i].length] = i;
  }
}

std::size_t CodeSpans::skip(std::size_t place) {
  while (current_ < runs_.size() && runs_[current_].begin < place)
    ++current_;
  if (current_ == runs_.size()) return place + 1;
  const Run& run = runs_[current_];
  const Run& last = run.closing == 0 ? run : runs_[run.closing];
  return last.begin + last.length;
}

}  // namespace notes::text

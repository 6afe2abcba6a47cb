#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace tenon::base {

/// Joins texts with ", ". `text_of` returns the text of an element; by default the element itself.
template <class Range, class TextOf = std::identity>
std::string join(const Range& elements, TextOf&& text_of = {}) {
  std::string list;
  bool is_first = true;
  for (const auto& element : elements) {
    if (!is_first) list += ", ";
    is_first = false;
    list += std::string_view(text_of(element));
  }
  return list;
}

}  // namespace tenon::base

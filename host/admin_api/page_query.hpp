#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/json_writer.hpp"

namespace tenon::console {

/// `limit` of a list's query, 50 (or `max`, where that is less) without one. Throws 422 `code`
/// beyond 1 … max.
std::size_t read_limit(std::string_view query, std::size_t max,
                       const std::string& code = "identity.validation");

/// {"items":[…],"next":"cursor" or null} of a page with `items` and `next`; `item_json` gives the
/// JSON of one.
template <typename Page, typename ItemJson>
std::string page_json(const Page& page, const ItemJson& item_json) {
  std::string text;
  base::JsonWriter json(text);
  json.begin_object().key("items").begin_array();
  for (const auto& item : page.items)
    json.raw(item_json(item));
  json.end_array().key("next");
  if (page.next.empty())
    json.null();
  else
    json.value(page.next);
  json.end_object();
  return text;
}

}  // namespace tenon::console

#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/request.hpp>

namespace notes::http {

/// `?limit=`, 1…`max_limit`. Throws 400 notes.bad_query.
std::int64_t limit_of(const tenon::Request& request, std::int64_t fallback, std::int64_t max_limit);

/// The parts that a cursor was made of, `count` of them; nullopt without `?cursor=`. Throws 400
/// notes.bad_query for one that is not ours.
std::optional<std::vector<std::string>> cursor_of(const tenon::Request& request, std::size_t count);

/// A cursor for URLs that keeps its parts.
std::string make_cursor(const std::vector<std::string>& parts);

/// The version in `If-Match: "3"`; nullopt without the header. Throws 400 notes.bad_query for
/// another form.
std::optional<std::int64_t> if_match(const tenon::Request& request);

/// The id in the path; one that is no UUID is 404, as there can be no such thing.
std::string path_id(const tenon::Request& request, std::string_view name = "id");

}  // namespace notes::http

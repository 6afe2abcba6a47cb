#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tenon::records {

/// Returns the parameters of a query ("a=b&c=d") in order, decoded ('+' is a space). Throws 400
/// records.bad_query for a broken escape, bytes that are not UTF-8 and a duplicate name.
std::vector<std::pair<std::string, std::string>> parse_query(std::string_view query);

/// base64url without padding (RFC 4648, section 5).
std::string to_base64url(std::string_view bytes);
/// nullopt for anything that to_base64url() does not write.
std::optional<std::string> from_base64url(std::string_view text);

/// The text of a field that is a string in quotes (RFC 8941, section 3.3.3), or the same without
/// quotes where it needs none; nullopt for what is neither.
std::optional<std::string> read_quoted(std::string_view field);

/// Throws 400 records.bad_query: "<parameter>: <what>".
[[noreturn]] void refuse_query(std::string_view parameter, const std::string& what);

}  // namespace tenon::records

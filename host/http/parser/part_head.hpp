#pragma once

#include <string>
#include <string_view>

#include "http/parser/multipart_parser.hpp"

namespace tenon::http {

/// Reads header fields, each with its CR LF, into `head`, whose views point into `fields`, into
/// `name` or into `file_name`. Null when all is well.
const Refusal* parse_part_head(std::string_view fields, const MultipartLimits& limits,
                               std::string& name, std::string& file_name, PartHead& head);

/// Takes the first parameter from a field's value: ";", a name, "=", a token or a quoted string,
/// with white space only around the semicolon (RFC 9110, section 5.6.6). False when it is none;
/// `value` is unquoted, with \" as a quote.
bool take_parameter(std::string_view& rest, std::string_view& name, std::string& value);

}  // namespace tenon::http

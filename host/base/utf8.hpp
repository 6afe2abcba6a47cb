#pragma once

#include <cstddef>
#include <string_view>

namespace tenon::base {

/// Length in bytes of the well-formed UTF-8 sequence (RFC 3629, section 4) that starts at text[at];
/// 0 where there is none.
std::size_t utf8_sequence_length(std::string_view text, std::size_t at) noexcept;

/// True when `text` is well-formed UTF-8.
bool is_valid_utf8(std::string_view text) noexcept;

}  // namespace tenon::base

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "expression/typed.hpp"

namespace tenon::expression {

/// SQL's LIKE with the escape \ and without regard to ASCII case; ends at a NUL, as SQLite does.
bool matches(std::string_view text, std::string_view pattern) noexcept;

/// Code points, up to a NUL, as SQLite counts.
std::int64_t length_of(std::string_view text) noexcept;

/// Arithmetic of doubles (Op::add … Op::negate); null where the result is not finite.
Value calculated(Op op, double left, double right) noexcept;

/// Op::whole.
std::int64_t whole_of(double number) noexcept;

/// Op::remainder; null where `divisor` is 0.
Value remainder_of(std::int64_t dividend, std::int64_t divisor) noexcept;

/// Half away from zero, by adding a half and cutting, as SQLite does.
double rounded(double number) noexcept;

/// lower, upper, trim, date.
std::string text_function(Op op, std::string text);

/// year, month, day of a stored date or datetime.
std::int64_t date_part(Op op, std::string_view text) noexcept;

}  // namespace tenon::expression

#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <tenon/abi.h>
#include <tenon/error.hpp>
#include <tenon/time.hpp>

namespace tenon {

/// The bytes of a blob column: a borrowed view, like std::string_view for text.
using Bytes = std::span<const std::byte>;

namespace detail {

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

constexpr tenon_cell null_cell() noexcept {
  tenon_cell cell{};
  cell.type = TENON_CELL_NULL;
  return cell;
}

inline tenon_cell bytes_cell(std::uint32_t type, const void* data, std::size_t size) noexcept {
  tenon_cell cell{};
  cell.type = type;
  // A null pointer of an empty text must not become NULL.
  cell.as.bytes = data == nullptr ? "" : static_cast<const char*>(data);
  cell.size = size;
  return cell;
}

/// Types that a statement parameter may have.
template <class T>
concept Bindable = std::same_as<T, std::nullptr_t> || std::same_as<T, std::nullopt_t> ||
    std::integral<T> || std::floating_point<T> || std::convertible_to<const T&, std::string_view> ||
    std::convertible_to<const T&, Bytes> || is_optional<T>;

/// Returns a cell that borrows from `value`, which must outlive the call.
template <Bindable T>
tenon_cell to_cell(const T& value) {
  if constexpr (is_optional<T>) {
    return value.has_value() ? to_cell(*value) : null_cell();
  } else if constexpr (std::same_as<T, std::nullptr_t> || std::same_as<T, std::nullopt_t>) {
    return null_cell();
  } else if constexpr (std::integral<T>) {
    static_assert(!std::same_as<T, char>,
                  "a char parameter is ambiguous: pass a text or an integer");
    if (!std::in_range<std::int64_t>(
            static_cast<std::conditional_t<std::same_as<T, bool>, int, T>>(value))) {
      throw Error(422, "database.integer_too_large", "This number is too large for a column.");
    }
    tenon_cell cell{};
    cell.type = TENON_CELL_INTEGER;
    cell.as.integer = static_cast<std::int64_t>(value);
    return cell;
  } else if constexpr (std::floating_point<T>) {
    tenon_cell cell{};
    cell.type = TENON_CELL_NUMBER;
    cell.as.number = static_cast<double>(value);
    return cell;
  } else if constexpr (std::convertible_to<const T&, std::string_view>) {
    const std::string_view text = value;
    return bytes_cell(TENON_CELL_TEXT, text.data(), text.size());
  } else {
    const Bytes bytes = value;
    return bytes_cell(TENON_CELL_BLOB, bytes.data(), bytes.size());
  }
}

inline std::string_view type_name(std::uint32_t type) noexcept {
  switch (type) {
    case TENON_CELL_NULL:
      return "null";
    case TENON_CELL_INTEGER:
      return "an integer";
    case TENON_CELL_NUMBER:
      return "a number";
    case TENON_CELL_TEXT:
      return "text";
    default:
      return "a blob";
  }
}

[[noreturn]] inline void wrong_cell(std::string_view column, std::uint32_t type,
                                    std::string_view wanted) {
  throw Misuse("column '" + std::string(column) + "' holds " + std::string(type_name(type)) +
               ", not " + std::string(wanted));
}

/// Types that a column can be read as.
template <class T>
concept Readable = std::integral<T> || std::floating_point<T> || std::same_as<T, std::string> ||
    std::same_as<T, std::string_view> || std::same_as<T, Bytes> || std::same_as<T, Time> ||
    std::same_as<T, std::vector<std::byte>> || is_optional<T>;

/// Converts a cell to T. Integer columns convert to bool, integer types and double, number columns
/// to double, text columns to text. Throws Misuse for any other type.
template <Readable T>
T from_cell(const tenon_cell& cell, std::string_view column) {
  if constexpr (is_optional<T>) {
    if (cell.type == TENON_CELL_NULL) return std::nullopt;
    return from_cell<typename T::value_type>(cell, column);
  } else if constexpr (std::same_as<T, bool>) {
    if (cell.type != TENON_CELL_INTEGER) wrong_cell(column, cell.type, "a boolean");
    return cell.as.integer != 0;
  } else if constexpr (std::integral<T>) {
    if (cell.type != TENON_CELL_INTEGER) wrong_cell(column, cell.type, "an integer");
    if (!std::in_range<T>(cell.as.integer))
      wrong_cell(column, cell.type, "one in the range of the C++ type");
    return static_cast<T>(cell.as.integer);
  } else if constexpr (std::floating_point<T>) {
    if (cell.type == TENON_CELL_INTEGER) return static_cast<T>(cell.as.integer);
    if (cell.type != TENON_CELL_NUMBER) wrong_cell(column, cell.type, "a number");
    return static_cast<T>(cell.as.number);
  } else if constexpr (std::same_as<T, Time>) {
    if (cell.type == TENON_CELL_TEXT) {
      if (const auto time = parse_rfc3339({cell.as.bytes, static_cast<std::size_t>(cell.size)}))
        return *time;
    }
    wrong_cell(column, cell.type, "an RFC 3339 time");
  } else if constexpr (std::same_as<T, std::string> || std::same_as<T, std::string_view>) {
    if (cell.type != TENON_CELL_TEXT) wrong_cell(column, cell.type, "text");
    return T(cell.as.bytes, static_cast<std::size_t>(cell.size));
  } else {
    if (cell.type != TENON_CELL_BLOB) wrong_cell(column, cell.type, "a blob");
    const auto* first = reinterpret_cast<const std::byte*>(cell.as.bytes);
    return T(first, first + cell.size);
  }
}

}  // namespace detail

/// A list of parameters whose length is known only at run time, e.g. for a filter that depends on
/// the request. Keeps copies of the values.
class Arguments {
 public:
  Arguments() = default;
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;
  Arguments(Arguments&&) noexcept = default;
  Arguments& operator=(Arguments&&) noexcept = default;

  template <detail::Bindable T>
  Arguments& add(const T& value) {
    tenon_cell cell = detail::to_cell(value);
    if (cell.type == TENON_CELL_TEXT || cell.type == TENON_CELL_BLOB) {
      kept_.emplace_back(cell.as.bytes, cell.as.bytes + cell.size);
      cell.as.bytes = kept_.back().empty() ? "" : kept_.back().data();
    }
    cells_.push_back(cell);
    return *this;
  }

  /// Adds a text without a copy. The text must outlive the statements that use this object.
  Arguments& borrow(std::string_view text) {
    cells_.push_back(detail::to_cell(text));
    return *this;
  }

  std::size_t size() const noexcept { return cells_.size(); }
  std::span<const tenon_cell> cells() const noexcept { return cells_; }

 private:
  std::vector<std::vector<char>>
      kept_;  // a reallocation moves the elements, so the pointers of the cells stay valid
  std::vector<tenon_cell> cells_;
};

}  // namespace tenon

#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <tenon/detail/codec.hpp>

namespace tenon {

/// A filter for records of the table T. Comparisons of columns make conditions; `&&`, `||` and `!`
/// combine them. The filter expression consists of field names and a `?` for each value, which the
/// host inserts as a literal. It has the meaning of the same filter in a request.
template <class T>
class Condition {
 public:
  Condition operator!() && { return {"not (" + filter_ + ")", std::move(values_)}; }
  Condition operator!() const& { return !Condition(*this); }
  friend Condition operator&&(Condition left, const Condition& right) {
    return std::move(left).join(Joined::all, " and ", right);
  }
  friend Condition operator||(Condition left, const Condition& right) {
    return std::move(left).join(Joined::any, " or ", right);
  }

  /// Makes a condition of a filter expression. Used by the functions of this header.
  Condition(std::string filter, detail::Values values)
      : filter_(std::move(filter)), values_(std::move(values)) {}
  const std::string& filter() const noexcept { return filter_; }
  const detail::Values& values() const noexcept { return values_; }

 private:
  // The operator that joins the parts. Parts with the same operator need no parentheses, whose
  // depth is limited.
  enum class Joined : std::uint8_t { none, all, any };

  Condition join(Joined kind, std::string_view word, const Condition& right) && {
    filter_ = within(kind).append(word).append(right.within(kind));
    joined_ = kind;
    values_.append(right.values_);
    return std::move(*this);
  }
  std::string within(Joined kind) const {
    return joined_ == Joined::none || joined_ == kind ? filter_ : "(" + filter_ + ")";
  }

  std::string filter_;
  detail::Values values_;
  Joined joined_ = Joined::none;
};

/// A sort column.
template <class T>
struct Order {
  std::string_view column;
  bool is_descending = false;
};

namespace detail {

/// Types that cannot be compared or sorted.
template <class B>
concept Opaque = std::same_as<B, JsonText> || std::same_as<B, File>;

}  // namespace detail

/// A field of the table T with values of type V; V is an optional if the reader may see no value.
/// Columns compare with values and columns of the same type. `-column` sorts by the column in
/// descending order.
template <class T, class V>
struct Column {
  using Value = V;
  using Base = detail::unwrapped<V>;

  std::string_view name;

  constexpr Order<T> operator-() const noexcept requires(!detail::Opaque<Base>) {
    return {name, true};
  }
  // Ascending order.
  // NOLINTNEXTLINE(google-explicit-constructor)
  constexpr operator Order<T>() const noexcept requires(!detail::Opaque<Base>) {
    return {name, false};
  }
};

/// A field with several values: choices, references, users or files.
template <class T, class V>
struct ManyColumn {
  using Value = std::vector<V>;

  std::string_view name;
};

namespace detail {

template <class B>
concept Ordered = std::same_as<B, std::string> || std::same_as<B, std::int64_t> ||
    std::same_as<B, double> || std::same_as<B, Date> || std::same_as<B, Time> || is_record_id<B>;

template <class X>
concept PlainInteger = std::integral<X> && !std::same_as<X, bool> && !std::same_as<X, char>;

/// Whether a column of type B can be compared with a value of type X.
template <class B, class X>
concept ValueOf =
    !Opaque<B> && (std::same_as<B, X> ||
                   (std::same_as<B, std::string> && std::convertible_to<X, std::string_view> &&
                    !std::integral<X> && !std::same_as<X, std::nullptr_t>) ||
                   (std::same_as<B, std::int64_t> && PlainInteger<X>) ||
                   (std::same_as<B, double> && (PlainInteger<X> || std::floating_point<X>)) ||
                   (std::same_as<B, Time> && std::convertible_to<X, Time>));

/// Adds a value, converted to B.
template <class B, class X>
void keep(Values& to, const X& value) {
  if constexpr (std::same_as<B, std::string>) {
    to.add(std::string(std::string_view(value)));
  } else if constexpr (is_record_id<B>) {
    to.add(value.text());
  } else if constexpr (std::same_as<B, Time>) {
    to.add(rfc3339(value));
  } else if constexpr (std::same_as<B, Date> || Choice<B>) {
    to.add(std::string(tenon::to_text(value)));
  } else if constexpr (std::same_as<B, std::int64_t>) {
    to.add(to_cell(value).as.integer);
  } else {
    to.add(static_cast<double>(value));
  }
}

template <class T>
Condition<T> compare(std::string_view name, std::string_view sign, std::string_view right,
                     Values values = {}) {
  std::string filter(name);
  filter.append(" ").append(sign).append(" ").append(right);
  return {std::move(filter), std::move(values)};
}

template <class T, class B, class X>
Condition<T> compare_value(std::string_view name, std::string_view sign, const X& value) {
  // Filters have no boolean literals as values, only the words true and false.
  if constexpr (std::same_as<B, bool>) {
    return compare<T>(name, sign, value ? "true" : "false");
  } else {
    Values values;
    keep<B>(values, value);
    return compare<T>(name, sign, "?", std::move(values));
  }
}

/// Escapes `text` for use in a `like` pattern.
inline std::string like_escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '%' || c == '_' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

template <class T>
Condition<T> like(std::string_view name, std::string pattern) {
  Values values;
  values.add(std::move(pattern));
  return compare<T>(name, "like", "?", std::move(values));
}

}  // namespace detail

template <class T, class V, class X>
requires detail::ValueOf<detail::unwrapped<V>, X> Condition<T>
operator==(const Column<T, V>& column, const X& value) {
  return detail::compare_value<T, detail::unwrapped<V>>(column.name, "=", value);
}
template <class T, class V, class X>
requires detail::ValueOf<detail::unwrapped<V>, X> Condition<T>
operator!=(const Column<T, V>& column, const X& value) {
  return detail::compare_value<T, detail::unwrapped<V>>(column.name, "!=", value);
}
/// Compares the column with NULL.
template <class T, class B>
Condition<T> operator==(const Column<T, std::optional<B>>& column, std::nullopt_t) {
  return detail::compare<T>(column.name, "=", "null");
}
template <class T, class B>
Condition<T> operator!=(const Column<T, std::optional<B>>& column, std::nullopt_t) {
  return detail::compare<T>(column.name, "!=", "null");
}
/// Compares the column with an optional: equal values, or both empty.
template <class T, class B, class X>
requires detail::ValueOf<B, X> Condition<T>
operator==(const Column<T, std::optional<B>>& column, const std::optional<X>& value) {
  return value ? column == *value : column == std::nullopt;
}
template <class T, class B, class X>
requires detail::ValueOf<B, X> Condition<T>
operator!=(const Column<T, std::optional<B>>& column, const std::optional<X>& value) {
  return value ? column != *value : column != std::nullopt;
}

#define TENON_COMPARE(sign)                                                                   \
  template <class T, class V, class X>                                                        \
  requires(detail::Ordered<detail::unwrapped<V>> && detail::ValueOf<detail::unwrapped<V>, X>) \
      Condition<T>                                                                            \
  operator sign(const Column<T, V>& column, const X& value) {                                 \
    return detail::compare_value<T, detail::unwrapped<V>>(column.name, #sign, value);         \
  }                                                                                           \
  template <class T, class V, class W>                                                        \
  requires(detail::Ordered<detail::unwrapped<V>> &&                                           \
           std::same_as<detail::unwrapped<V>, detail::unwrapped<W>>) Condition<T>             \
  operator sign(const Column<T, V>& column, const Column<T, W>& other) {                      \
    return detail::compare<T>(column.name, #sign, other.name);                                \
  }
TENON_COMPARE(<)
TENON_COMPARE(<=)
TENON_COMPARE(>)
TENON_COMPARE(>=)
#undef TENON_COMPARE

/// Matches if the column has one of `values`, at most 100. An empty list matches nothing.
template <class T, class V>
requires(!detail::Opaque<detail::unwrapped<V>> && !std::same_as<detail::unwrapped<V>, bool>)
    Condition<T> in(const Column<T, V>& column, const std::vector<detail::unwrapped<V>>& values) {
  if (values.empty()) return {"false", {}};
  std::string marks = "(";
  detail::Values bound;
  for (const auto& value : values) {
    marks += marks.size() == 1 ? "?" : ",?";
    detail::keep<detail::unwrapped<V>>(bound, value);
  }
  return detail::compare<T>(column.name, "in", marks += ")", std::move(bound));
}

/// Matches if the text contains `part`. `A` to `Z` and `a` to `z` are equal.
template <class T, class V>
requires std::same_as<detail::unwrapped<V>, std::string> Condition<T> contains(
    const Column<T, V>& column, std::string_view part) {
  return detail::like<T>(column.name, "%" + detail::like_escaped(part) + "%");
}

/// Matches if the text begins with `part`. `A` to `Z` and `a` to `z` are equal.
template <class T, class V>
requires std::same_as<detail::unwrapped<V>, std::string> Condition<T> starts_with(
    const Column<T, V>& column, std::string_view part) {
  return detail::like<T>(column.name, detail::like_escaped(part) + "%");
}

/// Matches if the field contains `value`.
template <class T, class V>
requires(!detail::Opaque<V>) Condition<T> has(const ManyColumn<T, V>& column,
                                              const std::type_identity_t<V>& value) {
  return detail::compare_value<T, V>(column.name, "=", value);
}

/// Matches if the field has no values.
template <class T, class V>
Condition<T> has_none(const ManyColumn<T, V>& column) {
  return detail::compare<T>(column.name, "=", "null");
}

}  // namespace tenon

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

/// Which records of the table T are meant: an expression that is made of fields' names alone, with
/// a `?` for each value, which the host puts in as a literal. Made by comparing columns; joined by
/// `&&`, `||` and `!`. Means what the same filter of a request means.
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

  /// For the parts of this header.
  Condition(std::string filter, detail::Values values)
      : filter_(std::move(filter)), values_(std::move(values)) {}
  const std::string& filter() const noexcept { return filter_; }
  const detail::Values& values() const noexcept { return values_; }

 private:
  // What its parts are joined by: those of one kind need no parentheses, whose depth has a bound.
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

/// One column of an order.
template <class T>
struct Order {
  std::string_view column;
  bool is_descending = false;
};

namespace detail {

/// Types without an equality or order of their own.
template <class B>
concept Opaque = std::same_as<B, JsonText> || std::same_as<B, File>;

}  // namespace detail

/// A field of the table T whose values are V, an optional where it may be empty for who reads it.
/// Compared with values of its type and with columns of the same; `-column` orders by it,
/// descending.
template <class T, class V>
struct Column {
  using Value = V;
  using Base = detail::unwrapped<V>;

  std::string_view name;

  constexpr Order<T> operator-() const noexcept requires(!detail::Opaque<Base>) {
    return {name, true};
  }
  // The plain order.
  // NOLINTNEXTLINE(google-explicit-constructor)
  constexpr operator Order<T>() const noexcept requires(!detail::Opaque<Base>) {
    return {name, false};
  }
};

/// A field with many values: choices, references, users or files.
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

/// Whether a value X may stand beside a column of B.
template <class B, class X>
concept ValueOf =
    !Opaque<B> && (std::same_as<B, X> ||
                   (std::same_as<B, std::string> && std::convertible_to<X, std::string_view> &&
                    !std::integral<X> && !std::same_as<X, std::nullptr_t>) ||
                   (std::same_as<B, std::int64_t> && PlainInteger<X>) ||
                   (std::same_as<B, double> && (PlainInteger<X> || std::floating_point<X>)) ||
                   (std::same_as<B, Time> && std::convertible_to<X, Time>));

/// Adds the value, as one of B.
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
  // There is no value for a boolean, only its words.
  if constexpr (std::same_as<B, bool>) {
    return compare<T>(name, sign, value ? "true" : "false");
  } else {
    Values values;
    keep<B>(values, value);
    return compare<T>(name, sign, "?", std::move(values));
  }
}

/// `text` so that `like` takes it as it is.
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
/// Empty, or not.
template <class T, class B>
Condition<T> operator==(const Column<T, std::optional<B>>& column, std::nullopt_t) {
  return detail::compare<T>(column.name, "=", "null");
}
template <class T, class B>
Condition<T> operator!=(const Column<T, std::optional<B>>& column, std::nullopt_t) {
  return detail::compare<T>(column.name, "!=", "null");
}
/// An optional: equal, or empty both.
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

/// The column is one of these, at most 100; none of an empty list.
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

/// The text has `part` in it. `A` to `Z` and `a` to `z` are the same.
template <class T, class V>
requires std::same_as<detail::unwrapped<V>, std::string> Condition<T> contains(
    const Column<T, V>& column, std::string_view part) {
  return detail::like<T>(column.name, "%" + detail::like_escaped(part) + "%");
}

/// The text begins with `part`. `A` to `Z` and `a` to `z` are the same.
template <class T, class V>
requires std::same_as<detail::unwrapped<V>, std::string> Condition<T> starts_with(
    const Column<T, V>& column, std::string_view part) {
  return detail::like<T>(column.name, detail::like_escaped(part) + "%");
}

/// The value is among those of the record.
template <class T, class V>
requires(!detail::Opaque<V>) Condition<T> has(const ManyColumn<T, V>& column,
                                              const std::type_identity_t<V>& value) {
  return detail::compare_value<T, V>(column.name, "=", value);
}

/// The record has no value there.
template <class T, class V>
Condition<T> has_none(const ManyColumn<T, V>& column) {
  return detail::compare<T>(column.name, "=", "null");
}

}  // namespace tenon

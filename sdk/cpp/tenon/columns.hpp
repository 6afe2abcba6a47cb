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

/// Which records of the table T are meant: SQL that is made of columns' names alone, and its
/// values, which are bound. Made by comparing columns; joined by `&&`, `||` and `!`. A comparison
/// with a column that is empty does not hold, but for `!=`, as in the expression language.
template <class T>
class Condition {
 public:
  Condition operator!() && { return {"NOT (" + sql_ + ")", std::move(values_)}; }
  Condition operator!() const& { return !Condition(*this); }
  friend Condition operator&&(Condition left, const Condition& right) {
    return std::move(left).join(" AND ", right);
  }
  friend Condition operator||(Condition left, const Condition& right) {
    return std::move(left).join(" OR ", right);
  }

  /// For the parts of this header.
  Condition(std::string sql, detail::Values values)
      : sql_(std::move(sql)), values_(std::move(values)) {}
  const std::string& sql() const noexcept { return sql_; }
  const detail::Values& values() const noexcept { return values_; }

 private:
  Condition join(std::string_view word, const Condition& right) && {
    sql_.insert(0, "(").append(word).append(right.sql_).append(")");
    values_.append(right.values_);
    return std::move(*this);
  }

  std::string sql_;
  detail::Values values_;
};

/// One column of an order.
template <class T>
struct Order {
  std::string_view column;
  bool is_descending = false;
};

/// A column of the table T whose values are V, an optional where it may be empty. Compared with
/// values of its type and with columns of the same; `-column` orders by it, descending.
template <class T, class V>
struct Column {
  using Value = V;
  using Base = detail::unwrapped<V>;
  static constexpr bool can_be_empty = detail::is_optional<V>;

  std::string_view name;

  constexpr Order<T> operator-() const noexcept { return {name, true}; }
  constexpr operator Order<T>() const noexcept { return {name, false}; }  // NOLINT: the plain order
};

/// A column with many choices or files, a JSON array.
template <class T, class V>
struct ListColumn {
  using Value = std::vector<V>;

  std::string_view name;
  bool is_required = false;
};

/// Many references or users, in a link table.
template <class T, class V>
struct LinkColumn {
  using Value = std::vector<V>;

  std::string_view name;
  std::string_view link_table;
  bool is_required = false;
};

namespace detail {

/// Types without an equality of their own in the database.
template <class B>
concept Opaque = std::same_as<B, JsonText> || std::same_as<B, File>;

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

inline std::string quoted(std::string_view name) {
  std::string text;
  text.reserve(name.size() + 2);
  return text.append(1, '"').append(name).append(1, '"');
}

/// Adds a copy of the value, as one of B.
template <class B, class X>
void keep(Values& to, const X& value) {
  if constexpr (std::same_as<B, std::string>) {
    to.keep(std::string(std::string_view(value)));
  } else if constexpr (is_record_id<B>) {
    to.keep(value.text());
  } else if constexpr (std::same_as<B, std::int64_t>) {
    add_value(to, to_cell(value).as.integer);
  } else {
    add_value(to, static_cast<B>(value));
  }
}

template <class T, class V>
Condition<T> compare(const Column<T, V>& column, std::string_view sign, Values values,
                     std::string_view right = "?") {
  const std::string name = quoted(column.name);
  std::string sql = name;
  sql.append(" ").append(sign).append(" ").append(right);
  if constexpr (Column<T, V>::can_be_empty) {
    // Without an answer of NULL, which NOT would keep.
    sql = sign == "<>" ? "(" + name + " IS NULL OR " + sql + ")"
                       : "(" + name + " IS NOT NULL AND " + sql + ")";
  }
  return {std::move(sql), std::move(values)};
}

template <class T, class V, class X>
Condition<T> compare_value(const Column<T, V>& column, std::string_view sign, const X& value) {
  Values values;
  keep<unwrapped<V>>(values, value);
  return compare(column, sign, std::move(values));
}

template <class T, class V>
Condition<T> empty(const Column<T, V>& column, bool is_empty) {
  return {quoted(column.name) + (is_empty ? " IS NULL" : " IS NOT NULL"), {}};
}

/// `text` so that LIKE takes it as it is, with `\` as its escape.
inline std::string like_escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '%' || c == '_' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

}  // namespace detail

template <class T, class V, class X>
requires detail::ValueOf<detail::unwrapped<V>, X> Condition<T>
operator==(const Column<T, V>& column, const X& value) {
  return detail::compare_value(column, "=", value);
}
template <class T, class V, class X>
requires detail::ValueOf<detail::unwrapped<V>, X> Condition<T>
operator!=(const Column<T, V>& column, const X& value) {
  return detail::compare_value(column, "<>", value);
}
/// An optional: equal, or empty both.
template <class T, class B, class X>
requires detail::ValueOf<B, X> Condition<T>
operator==(const Column<T, std::optional<B>>& column, const std::optional<X>& value) {
  return value ? column == *value : detail::empty(column, true);
}
template <class T, class B, class X>
requires detail::ValueOf<B, X> Condition<T>
operator!=(const Column<T, std::optional<B>>& column, const std::optional<X>& value) {
  return value ? column != *value : detail::empty(column, false);
}
template <class T, class B>
Condition<T> operator==(const Column<T, std::optional<B>>& column, std::nullopt_t) {
  return detail::empty(column, true);
}
template <class T, class B>
Condition<T> operator!=(const Column<T, std::optional<B>>& column, std::nullopt_t) {
  return detail::empty(column, false);
}

#define TENON_COMPARE(sign)                                                                   \
  template <class T, class V, class X>                                                        \
  requires(detail::Ordered<detail::unwrapped<V>> && detail::ValueOf<detail::unwrapped<V>, X>) \
      Condition<T>                                                                            \
  operator sign(const Column<T, V>& column, const X& value) {                                 \
    return detail::compare_value(column, #sign, value);                                       \
  }                                                                                           \
  template <class T, class B>                                                                 \
  requires detail::Ordered<B> Condition<T>                                                    \
  operator sign(const Column<T, B>& column, const Column<T, B>& other) {                      \
    return detail::compare(column, #sign, {}, detail::quoted(other.name));                    \
  }
TENON_COMPARE(<)
TENON_COMPARE(<=)
TENON_COMPARE(>)
TENON_COMPARE(>=)
#undef TENON_COMPARE

/// The column is one of these; none of an empty list.
template <class T, class V>
requires(!detail::Opaque<detail::unwrapped<V>>) Condition<T> in(
    const Column<T, V>& column, const std::vector<detail::unwrapped<V>>& values) {
  if (values.empty()) return {"1 = 0", {}};
  std::string marks;
  detail::Values bound;
  for (const auto& value : values) {
    marks += marks.empty() ? "?" : ", ?";
    detail::keep<detail::unwrapped<V>>(bound, value);
  }
  return detail::compare(column, "IN", std::move(bound), "(" + marks + ")");
}

/// The text has `part` in it. `A` to `Z` and `a` to `z` are the same.
template <class T, class V>
requires std::same_as<detail::unwrapped<V>, std::string> Condition<T> contains(
    const Column<T, V>& column, std::string_view part) {
  detail::Values values;
  values.keep("%" + detail::like_escaped(part) + "%");
  return detail::compare(column, "LIKE", std::move(values), "? ESCAPE '\\'");
}

/// The text begins with `part`. `A` to `Z` and `a` to `z` are the same.
template <class T, class V>
requires std::same_as<detail::unwrapped<V>, std::string> Condition<T> starts_with(
    const Column<T, V>& column, std::string_view part) {
  detail::Values values;
  values.keep(detail::like_escaped(part) + "%");
  return detail::compare(column, "LIKE", std::move(values), "? ESCAPE '\\'");
}

/// The choice is among those of the record.
template <class T, Choice V>
Condition<T> has(const ListColumn<T, V>& column, V choice) {
  detail::Values values;
  detail::add_value(values, choice);
  // An alias, for the table may have a column `value`.
  return {"EXISTS (SELECT 1 FROM json_each(" + detail::quoted(column.name) +
              ") AS \"one\" WHERE \"one\".\"value\" = ?)",
          std::move(values)};
}

/// The record refers to this one, perhaps among others.
template <class T, class V>
Condition<T> has(const LinkColumn<T, V>& column, const V& id) {
  detail::Values values;
  detail::keep<V>(values, id);
  return {detail::quoted(T::Info::table) + ".\"id\" IN (SELECT \"record\" FROM " +
              detail::quoted(column.link_table) + " WHERE \"target\" = ?)",
          std::move(values)};
}

/// The record refers to none.
template <class T, class V>
Condition<T> has_none(const LinkColumn<T, V>& column) {
  return {"NOT EXISTS (SELECT 1 FROM " + detail::quoted(column.link_table) +
              " WHERE \"record\" = " + detail::quoted(T::Info::table) + ".\"id\")",
          {}};
}

}  // namespace tenon

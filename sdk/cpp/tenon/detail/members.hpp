#pragma once

#include <cstddef>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include <tenon/cell.hpp>

namespace tenon::detail {

template <class T>
inline constexpr bool is_tuple = false;
template <class... T>
inline constexpr bool is_tuple<std::tuple<T...>> = true;
template <class A, class B>
inline constexpr bool is_tuple<std::pair<A, B>> = true;

/// Represents a member of any type while members are counted. std::optional has its own conversion,
/// because its constructor would accept an AnyMember too, which is ambiguous.
struct AnyMember {
  // NOLINTBEGIN(google-explicit-constructor)
  template <class T>
  requires(!is_optional<T>) operator T() const;
  template <class T>
  requires(!std::is_constructible_v<T, AnyMember>) operator std::optional<T>() const;
  // NOLINTEND(google-explicit-constructor)
};

template <class T, std::size_t... I>
constexpr bool takes(std::index_sequence<I...>) {
  return requires {
    T{(static_cast<void>(I), AnyMember{})...};
  };
}

inline constexpr std::size_t max_members = 24;

template <class T, std::size_t N = max_members>
constexpr std::size_t count_members() {
  static_assert(!takes<T>(std::make_index_sequence<max_members + 1>()),
                "a struct has more than 24 members");
  if constexpr (N == 0 || takes<T>(std::make_index_sequence<N>())) {
    return N;
  } else {
    return count_members<T, N - 1>();
  }
}

/// The number of members of an aggregate.
template <class T>
inline constexpr std::size_t member_count = count_members<T>();

/// Calls `visit` with each member of an aggregate, in order.
template <class T, class F>
constexpr void for_each_member(T& value, F&& visit) {
  constexpr std::size_t count = member_count<T>;
  static_assert(count > 0, "a struct has no members");
  const auto all = [&](auto&... members) { (visit(members), ...); };
  // Structured bindings require the exact number of names.
  if constexpr (count == 1) {
    auto& [a] = value;
    all(a);
  } else if constexpr (count == 2) {
    auto& [a, b] = value;
    all(a, b);
  } else if constexpr (count == 3) {
    auto& [a, b, c] = value;
    all(a, b, c);
  } else if constexpr (count == 4) {
    auto& [a, b, c, d] = value;
    all(a, b, c, d);
  } else if constexpr (count == 5) {
    auto& [a, b, c, d, e] = value;
    all(a, b, c, d, e);
  } else if constexpr (count == 6) {
    auto& [a, b, c, d, e, f] = value;
    all(a, b, c, d, e, f);
  } else if constexpr (count == 7) {
    auto& [a, b, c, d, e, f, g] = value;
    all(a, b, c, d, e, f, g);
  } else if constexpr (count == 8) {
    auto& [a, b, c, d, e, f, g, h] = value;
    all(a, b, c, d, e, f, g, h);
  } else if constexpr (count == 9) {
    auto& [a, b, c, d, e, f, g, h, i] = value;
    all(a, b, c, d, e, f, g, h, i);
  } else if constexpr (count == 10) {
    auto& [a, b, c, d, e, f, g, h, i, j] = value;
    all(a, b, c, d, e, f, g, h, i, j);
  } else if constexpr (count == 11) {
    auto& [a, b, c, d, e, f, g, h, i, j, k] = value;
    all(a, b, c, d, e, f, g, h, i, j, k);
  } else if constexpr (count == 12) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l] = value;
    all(a, b, c, d, e, f, g, h, i, j, k, l);
  } else if constexpr (count == 13) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = value;
    all(a, b, c, d, e, f, g, h, i, j, k, l, m);
  } else if constexpr (count == 14) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n] = value;
    all(a, b, c, d, e, f, g, h, i, j, k, l, m, n);
  } else if constexpr (count == 15) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o] = value;
    all(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o);
  } else if constexpr (count == 16) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = value;
    all(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p);
  } else if constexpr (count == 17) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q] = value;
    all(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q);
  } else if constexpr (count == 18) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r] = value;
    all(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r);
  } else if constexpr (count == 19) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s] = value;
    all(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s);
  } else if constexpr (count == 20) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t] = value;
    all(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t);
  } else if constexpr (count == 21) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u] = value;
    all(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u);
  } else if constexpr (count == 22) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v] = value;
    all(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v);
  } else if constexpr (count == 23) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w] = value;
    all(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w);
  } else if constexpr (count == 24) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x] = value;
    all(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x);
  }
}

}  // namespace tenon::detail

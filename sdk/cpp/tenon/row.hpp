#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <tenon/cell.hpp>
#include <tenon/db.h>
#include <tenon/detail/members.hpp>

namespace tenon {

/// One row of a query: a view, valid until the range that gave it moves on. So are the string_views
/// and Bytes it gives; read a std::string to keep one.
class Row {
 public:
  std::size_t size() const noexcept { return batch_->columns; }

  /// The column at `index`, first 0. Throws Misuse when it is not there or holds another type; null
  /// only as optional.
  template <class T>
  T get(std::size_t index) const {
    if (index >= batch_->columns) {
      throw Misuse("column " + std::to_string(index) + " of a row of " +
                   std::to_string(batch_->columns));
    }
    return detail::from_cell<T>(cells_[index], name(index));
  }

  /// The column called `name`.
  template <class T>
  T get(std::string_view name) const {
    for (std::size_t i = 0; i < batch_->columns; ++i) {
      if (this->name(i) == name) return detail::from_cell<T>(cells_[i], name);
    }
    throw Misuse("the query has no column '" + std::string(name) + "'");
  }

  bool is_null(std::size_t index) const {
    return index < batch_->columns && cells_[index].type == TENON_CELL_NULL;
  }

  /// The whole row as T: a column type when there is one column, a tuple, or a struct whose members
  /// are the columns in order (a plain aggregate of up to 24 members, default-constructible).
  template <class T>
  T into() const {
    if constexpr (detail::Readable<T>) {
      require_columns(1);
      return get<T>(0);
    } else if constexpr (detail::is_tuple<T>) {
      require_columns(std::tuple_size_v<T>);
      return [this]<std::size_t... I>(std::index_sequence<I...>) {
        return T{this->get<std::tuple_element_t<I, T>>(I)...};
      }
      (std::make_index_sequence<std::tuple_size_v<T>>());
    } else {
      static_assert(std::is_aggregate_v<T>,
                    "a row becomes a column type, a tuple or a plain struct");
      require_columns(detail::member_count<T>);
      T value{};
      std::size_t index = 0;
      detail::for_each_member(value, [&](auto& member) {
        member = get<std::remove_reference_t<decltype(member)>>(index++);
      });
      return value;
    }
  }

  std::string_view name(std::size_t index) const noexcept {
    return detail::view(batch_->names[index]);
  }

 private:
  friend class Rows;
  Row() = default;

  void require_columns(std::size_t count) const {
    if (count != batch_->columns) {
      throw Misuse("a row of " + std::to_string(batch_->columns) + " columns read as " +
                   std::to_string(count));
    }
  }

  const tenon_db_batch* batch_ = nullptr;
  const tenon_cell* cells_ = nullptr;
};

}  // namespace tenon

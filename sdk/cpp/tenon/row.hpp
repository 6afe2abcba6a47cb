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

/// One row of a query: a view that is valid until the loop continues to the next row. Its
/// string_views and Bytes are not valid longer; read a std::string to keep a text.
class Row {
 public:
  std::size_t size() const noexcept { return batch_->columns; }

  /// Returns the column at `index`, from 0. Throws Misuse if there is no such column or it has
  /// another type. NULL can be read as an optional only.
  template <class T>
  T get(std::size_t index) const {
    if (index >= batch_->columns) {
      throw Misuse("the row has no column " + std::to_string(index) + ": it has " +
                   std::to_string(batch_->columns));
    }
    return detail::from_cell<T>(cells_[index], name(index));
  }

  /// Returns the column with this name. Throws Misuse if there is no such column or it has another
  /// type.
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

  /// Returns the whole row as T: a column type if the row has one column, a tuple, or a struct
  /// whose members match the columns in order (a plain aggregate of up to 24 members,
  /// default-constructible).
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
                    "a row can be read as a column type, a tuple or a plain struct");
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
      throw Misuse("the row has " + std::to_string(batch_->columns) +
                   " columns, but the type has " + std::to_string(count));
    }
  }

  const tenon_db_batch* batch_ = nullptr;
  const tenon_cell* cells_ = nullptr;
};

}  // namespace tenon

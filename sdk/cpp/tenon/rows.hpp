#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include <tenon/db.h>
#include <tenon/detail/link.hpp>
#include <tenon/row.hpp>

namespace tenon {

/// The rows of a query, fetched in batches during iteration. The range can be iterated once. The
/// destructor closes the cursor.
class Rows {
 public:
  class Iterator {
   public:
    using iterator_concept = std::input_iterator_tag;
    using value_type = Row;
    using difference_type = std::ptrdiff_t;

    Iterator() = default;
    const Row& operator*() const noexcept { return rows_->row_; }
    const Row* operator->() const noexcept { return &rows_->row_; }
    Iterator& operator++() {
      rows_->advance();
      return *this;
    }
    void operator++(int) { ++*this; }
    bool operator==(std::default_sentinel_t) const noexcept {
      return rows_->row_.cells_ == nullptr;
    }

   private:
    friend class Rows;
    explicit Iterator(Rows* rows) noexcept : rows_(rows) {}
    Rows* rows_ = nullptr;
  };

  Rows(Rows&& other) noexcept
      : link_(other.link_),
        cursor_(std::exchange(other.cursor_, 0)),
        batch_(other.batch_),
        row_(other.row_),
        at_(other.at_) {
    row_.batch_ = &batch_;
    other.row_.cells_ = nullptr;
  }
  Rows& operator=(Rows&&) = delete;
  ~Rows() { close(); }

  Iterator begin() noexcept { return Iterator(this); }
  static std::default_sentinel_t end() noexcept { return {}; }
  bool empty() const noexcept { return row_.cells_ == nullptr; }

  /// Returns the first row as T, or empty. Other rows are ignored.
  template <class T>
  std::optional<T> first() {
    return empty() ? std::nullopt : std::optional<T>(row_.into<T>());
  }

  /// Returns the remaining rows as T.
  template <class T>
  std::vector<T> all() {
    std::vector<T> values;
    for (const Row& row : *this)
      values.push_back(row.into<T>());
    return values;
  }

 private:
  friend class Statements;
  Rows(detail::Link& link, tenon_handle cursor, const tenon_db_batch& batch) noexcept
      : link_(&link), cursor_(cursor), batch_(batch) {
    row_.batch_ = &batch_;
    show();
  }

  void show() noexcept {
    row_.cells_ =
        at_ < batch_.rows ? batch_.cells + static_cast<std::size_t>(at_) * batch_.columns : nullptr;
  }

  void advance() {
    if (row_.cells_ == nullptr) return;
    ++at_;
    if (at_ >= batch_.rows && batch_.more != 0) fetch();
    show();
  }

  void fetch() {
    at_ = 0;
    batch_.rows = 0;
    row_.cells_ = nullptr;
    tenon_db_batch next{};
    next.size = sizeof next;
    tenon_error error = detail::empty_error();
    const tenon_code code = TENON_CALL(*link_, tenon_db, next, cursor_, &next, &error);
    detail::check(code, error);
    if (code == TENON_DONE) {
      batch_.more = 0;
    } else {
      batch_ = next;
    }
  }

  void close() noexcept {
    if (cursor_ == 0) return;
    const tenon_db* db = link_->find<tenon_db>();
    if (db != nullptr && db->size >= TENON_NEED(tenon_db, close)) db->close(link_->host(), cursor_);
    cursor_ = 0;
  }

  detail::Link* link_;
  tenon_handle cursor_;
  tenon_db_batch batch_;
  Row row_;
  std::uint32_t at_ = 0;
};

}  // namespace tenon

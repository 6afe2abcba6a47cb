#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/engine/rows_source.hpp"
#include "data/rows.hpp"
#include "postgresql/client/connection.hpp"

namespace tenon::data::postgresql {

/// A value of a result, in the kinds that SQLite would give: booleans are integers, numerics
/// without a fraction too where they fit. A bytea is decoded in the result's own memory, once a
/// row.
class ResultTable {
 public:
  /// `statement` has the JsonMembers, where it is given.
  explicit ResultTable(Result result, std::shared_ptr<const Prepared> statement = nullptr);

  int rows() const noexcept { return libpq().ntuples(result_.get()); }
  int columns() const noexcept { return static_cast<int>(kinds_.size()); }
  std::string_view name(int column) const noexcept { return libpq().fname(result_.get(), column); }
  /// To be called once for each row, in order, before its values are read.
  void enter(int row) noexcept;
  std::string_view text(int column) const noexcept;
  bool is_null(int column) const noexcept {
    return libpq().getisnull(result_.get(), row_, column) != 0;
  }
  CellKind kind(int column) const noexcept;
  std::int64_t integer(int column) const noexcept;
  double number(int column) const noexcept;
  Cell cell(int column) const noexcept;
  /// Before the first row becomes JSON.
  void find_members();
  /// Appends the row that was entered, as a JSON object.
  void put_row(JsonText& text) const;
  /// Its columns named "…:key" as a JSON array.
  std::string keys() const;
  bool flag() const;

 private:
  enum class Kind : std::uint8_t { text, integer, boolean, number, numeric, bytes };

  bool is_boolean(int column) const noexcept {
    return kinds_[static_cast<std::size_t>(column)] == Kind::boolean;
  }
  const JsonMembers& members() const noexcept {
    return statement_ ? statement_->members : own_members_;
  }
  void put_member(JsonText& text, const JsonMembers::Member& member, int column) const;

  Result result_;
  std::shared_ptr<const Prepared> statement_;  ///< null: the members are its own
  JsonMembers own_members_;
  std::vector<Kind> kinds_;
  std::vector<std::size_t> byte_sizes_;  ///< of the row's byteas
  int row_ = -1;
};

/// Implements Rows: a whole result in memory, so that neither its connection nor its transaction
/// is in use.
class ResultRows final : public RowsSource {
 public:
  explicit ResultRows(Outcome outcome);

  static Rows to_rows(Outcome outcome);

  RowsSource* move_to(void* storage) noexcept override;
  bool next() override;
  int columns() const noexcept override { return table_ ? table_->columns() : 0; }
  std::string_view name(int column) const noexcept override { return table_->name(column); }
  std::size_t append_json(JsonShape shape, JsonText& text) override;
  JsonPageEnd append_json_page(std::size_t limit, JsonText& text) override;
  Cell cell(int column) const noexcept override;
  std::int64_t integer(int column) const noexcept override;
  double number(int column) const noexcept override;
  std::string_view text(int column) const noexcept override;

 private:
  ResultRows(ResultRows&& other) noexcept = default;

  std::unique_ptr<ResultTable> table_;  ///< null after the last row
  int next_ = 0;
};

static_assert(sizeof(ResultRows) <= Rows::source_bytes);

}  // namespace tenon::data::postgresql

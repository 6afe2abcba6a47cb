#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "expression/evaluate.hpp"
#include "records/model/model.hpp"

namespace tenon::realtime {

/// A record as rules read it and as responses show it. Immutable; borrows the table.
class Row final : public expression::Record {
 public:
  /// `json`: an object with `id` and all fields, as a query of the table gives it.
  static std::shared_ptr<const Row> now(const records::TableModel& table, std::string json);
  /// `json`: `before` of the change log. Returns null if it cannot be read.
  static std::shared_ptr<const Row> before(const records::TableModel& table, std::string id,
                                           std::string_view json);

  expression::Value value(std::string_view field) const override;
  std::vector<std::string> members(std::string_view field) const override;

  /// Whether the stored fields include everything that an expression reads of the record itself.
  bool knows(const expression::Checked& checked) const;
  /// Whether a field holds the same in both; false where it is not known.
  bool is_same(const Row& other, std::string_view field) const;
  /// The JSON of each field of the table in order; only of now().
  const std::vector<std::string_view>& texts() const noexcept { return texts_; }
  /// Whether texts() are what GET sends to the byte: no line break of a json field was replaced.
  bool is_exact() const noexcept { return is_exact_; }
  /// Bytes of the whole JSON.
  std::size_t size() const noexcept { return json_.size(); }

 private:
  struct Cell {
    expression::Value value;
    std::vector<std::string> members;
    bool is_known = true;
  };
  explicit Row(const records::TableModel& table) : table_(table), cells_(table.fields.size()) {}
  const Cell* find(std::string_view field) const noexcept;
  void read(std::string_view json);

  const records::TableModel& table_;
  std::string id_;
  std::string json_;
  bool is_exact_ = true;
  std::vector<Cell> cells_;
  std::vector<std::string_view> texts_;
};

}  // namespace tenon::realtime

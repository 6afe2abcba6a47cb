#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/catalog.hpp"
#include "sqlite/connection/connection.hpp"
#include "sqlite/schema/conversion.hpp"

namespace tenon::data::schema {

/// Reads one table; nullopt when there is none of this name. Needs the room's own access.
std::optional<ActualTable> read_table(sqlite::Connection& connection, std::string_view name);

/// True for a table made as create_link_sql makes them; where the references lead is not looked at.
bool is_link_table(sqlite::Connection& connection, std::string_view name);

/// Names of the indexes that the host planned on this table.
std::vector<std::string> read_planned_indexes(sqlite::Connection& connection,
                                              std::string_view table);

/// The columns of an index, in order.
std::vector<std::string> read_index_fields(sqlite::Connection& connection, std::string_view index);

/// A file of SQLite as the comparison asks it.
class SqliteCatalog final : public Catalog {
 public:
  explicit SqliteCatalog(sqlite::Connection& connection)
      : connection_(connection), functions_(connection) {}

  std::optional<ActualTable> read_table(std::string_view name) override {
    return schema::read_table(connection_, name);
  }
  bool is_link_table(std::string_view name) override {
    return schema::is_link_table(connection_, name);
  }
  std::vector<std::string> read_planned_indexes(std::string_view table) override {
    return schema::read_planned_indexes(connection_, table);
  }
  std::vector<std::string> read_index_fields(std::string_view index) override {
    return schema::read_index_fields(connection_, index);
  }
  std::int64_t number(const std::string& sql) override;
  std::string_view storage_of(FieldType type) const noexcept override;
  std::string check_sql(const Field& field) const override;
  std::string column_sql(const Field& field) const override;
  std::string create_link_sql(std::string_view table, const Field& field) const override;
  std::string has_other_choice_sql(const Field& field, const std::string& column) const override;
  std::string converted_sql(const Field& old, const Field& now,
                            const std::string& column) const override;
  std::string loss_sql(const Field& old, const Field& now,
                       const std::string& column) const override;
  std::size_t max_name() const noexcept override { return SIZE_MAX; }
  void add_search_steps(const Tables& declared, SearchUpgrade upgrade, Plan& plan) override;
  void refuse_stale_search(const Renames& renames, std::vector<Refusal>& refusals) override;

 private:
  sqlite::Connection& connection_;
  const ConversionFunctions functions_;
};

}  // namespace tenon::data::schema

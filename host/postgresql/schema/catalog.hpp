#pragma once

#include "postgresql/client/sql.hpp"
#include "schema/catalog.hpp"

namespace tenon::data::postgresql {

/// The schema of a plugin as the comparison asks it: what pg_catalog says of the first schema on
/// the search path.
class Catalog final : public schema::Catalog {
 public:
  explicit Catalog(Sql& sql) : sql_(sql) {}

  std::optional<schema::ActualTable> read_table(std::string_view name) override;
  bool is_link_table(std::string_view name) override;
  std::vector<std::string> read_planned_indexes(std::string_view table) override;
  std::vector<std::string> read_index_fields(std::string_view index) override;
  std::int64_t number(const std::string& sql) override { return sql_.number(sql); }

  std::string_view storage_of(schema::FieldType type) const noexcept override;
  std::string check_sql(const schema::Field& field) const override;
  std::string column_sql(const schema::Field& field) const override;
  std::string create_link_sql(std::string_view table, const schema::Field& field) const override;
  std::string has_other_choice_sql(const schema::Field& field,
                                   const std::string& column) const override;
  std::string converted_sql(const schema::Field& old, const schema::Field& now,
                            const std::string& column) const override;
  std::string loss_sql(const schema::Field& old, const schema::Field& now,
                       const std::string& column) const override;
  std::size_t max_name() const noexcept override;
  void add_search_steps(const schema::Tables& declared, schema::SearchUpgrade upgrade,
                        schema::Plan& plan) override;
  /// PostgreSQL changes along what reads a table or a column by its name.
  void refuse_stale_search(const schema::Renames& /*renames*/,
                           std::vector<schema::Refusal>& /*refusals*/) override {}

 private:
  Sql& sql_;
};

}  // namespace tenon::data::postgresql

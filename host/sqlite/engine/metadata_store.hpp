#pragma once

#include "data/migrate/metadata_store.hpp"
#include "sqlite/connection/connection.hpp"

namespace tenon::data::sqlite {

/// The metadata of a file. Every call needs internal access.
class MetadataStore final : public data::MetadataStore {
 public:
  explicit MetadataStore(Connection& connection);

 private:
  bool has_table(std::string_view name) const override;
  void run(std::string_view sql, Cells cells) override;
  TextRows read(std::string_view sql, Cells cells) const override;

  Connection& connection_;
};

}  // namespace tenon::data::sqlite

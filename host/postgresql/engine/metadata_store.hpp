#pragma once

#include "data/migrate/metadata_store.hpp"
#include "postgresql/client/sql.hpp"

namespace tenon::data::postgresql {

/// The metadata of the first schema on the search path.
class MetadataStore final : public data::MetadataStore {
 public:
  explicit MetadataStore(Sql& sql);

 private:
  bool has_table(std::string_view name) const override;
  void run(std::string_view sql, Cells cells) override;
  TextRows read(std::string_view sql, Cells cells) const override;

  Sql& sql_;
};

}  // namespace tenon::data::postgresql

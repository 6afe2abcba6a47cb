#pragma once

#include <cstdint>

#include "schema/catalog.hpp"
#include "schema/plan.hpp"
#include "schema/renames.hpp"
#include "schema/tables.hpp"

namespace tenon::data::schema {

/// When a file is compared with a declaration.
enum class Moment : std::uint8_t {
  planning,                  ///< nothing but the comparison will change the file
  planning_with_migrations,  ///< numbered migrations run before the result is checked
  after_migrations,          ///< what is missing now will not come
};

/// Adds to `plan` what leads from the tables of a file to those declared: steps, and what cannot be
/// done. `stored` is what was applied last, under the names of the declaration (renamed());
/// `renames` what the file calls otherwise still, none after the migrations. Reads the rows where a
/// constraint is new.
void add_differences(Catalog& catalog, const Tables& stored, const Tables& declared,
                     const Renames& renames, Moment moment, Plan& plan);

}  // namespace tenon::data::schema

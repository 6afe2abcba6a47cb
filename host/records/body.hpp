#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/json_slice.hpp"
#include "records/model.hpp"

namespace tenon::records {

/// What a body says of one field.
struct Change {
  const FieldModel* field = nullptr;
  data::schema::Value value;         ///< as it is stored; monostate: empty
  std::vector<std::string> members;  ///< of a link, in order
};

/// A record as a client sent it, checked as far as that goes without the database.
struct Body {
  std::string id;  ///< as it was sent; empty where none was
  std::vector<Change> changes;
  std::vector<base::FieldError> errors;  ///< everything that is wrong

  const Change* find(const FieldModel& field) const noexcept;
};

enum class Kind : std::uint8_t {
  create,
  update,        ///< the id stands elsewhere
  update_named,  ///< `id` says which record
};

/// Whether bodies may have it.
bool is_writable(const FieldModel& field) noexcept;

/// Reads a JSON object. Throws 400 records.bad_body where it is none.
Body read_body(const TableModel& table, const base::JsonSlice& json, Kind kind);

/// 422 records.validation.
base::Error invalid(std::vector<base::FieldError> errors);

}  // namespace tenon::records

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/json_slice.hpp"
#include "records/model/model.hpp"

namespace tenon::records {

/// A file that a body names: one that was uploaded, or one that the record has.
struct FileRef {
  std::string upload;  ///< id of the upload; empty for one that is there
  std::string blob;    ///< of an upload once it is claimed
  std::string json;    ///< what is stored of an upload
  std::string claim;   ///< the claim's key
};

/// The new value of one field, from a body.
struct Change {
  const FieldModel* field = nullptr;
  data::schema::Value value;         ///< as it is stored; monostate: empty
  std::vector<std::string> members;  ///< of a link, in order
  std::vector<FileRef> files;        ///< of a blob field, in order
  bool is_increment = false;         ///< `value` is added to the value of the record
  bool is_default = false;           ///< not of the client: no `write` rule of the field applies
};

/// A record as a client sent it. All checks that need no database are done.
struct Body {
  std::string id;  ///< as it was sent; empty where none was
  std::vector<Change> changes;
  std::vector<base::FieldError> errors;  ///< everything that is wrong

  const Change* find(const FieldModel& field) const noexcept;
};

enum class Kind : std::uint8_t {
  create,
  update,        ///< the id is not in the body
  update_named,  ///< `id` says which record
};

enum class Files : std::uint8_t { refused, taken };

/// Reads a JSON object. Throws 400 records.bad_body where it is none.
Body read_body(const TableModel& table, const base::JsonSlice& json, Kind kind,
               Files files = Files::refused);

/// Whether the body of a create must have the field.
bool is_needed(const FieldModel& field) noexcept;

/// Whether an update may add to the field: a number that is not hidden, for the errors of a sum say
/// how large the stored number is.
bool can_increment(const FieldModel& field) noexcept;

/// The error of a required field without a value.
base::FieldError missing(const FieldModel& field);

/// 422 records.validation.
base::Error invalid(std::vector<base::FieldError> errors);

}  // namespace tenon::records

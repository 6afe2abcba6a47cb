#include "schema/conversion.hpp"

namespace tenon::data::schema {

namespace {

bool is_same_target(const Field& old, const Field& now) noexcept {
  const auto refers = [](const Field& field) {
    return field.type == FieldType::reference || field.type == FieldType::user;
  };
  return refers(old) && refers(now) && old.target().plugin == now.target().plugin &&
         old.target().table == now.target().table;
}

Conversion to_many(const Field& old, const Field& now) noexcept {
  const bool is_kept =
      is_same_target(old, now) ||
      (old.type == now.type && (now.type == FieldType::choice || now.type == FieldType::blob));
  return is_kept ? Conversion::rebuild : Conversion::lossy;
}

Conversion to_text(const Field& old) noexcept {
  switch (old.type) {
    case FieldType::integer:
    case FieldType::number:
    case FieldType::boolean:
      return Conversion::rebuild;
    case FieldType::blob:
    case FieldType::computed:
      return Conversion::lossy;
    default:
      return Conversion::in_place;
  }
}

}  // namespace

Conversion conversion_of(const Field& old, const Field& now) noexcept {
  if (old.many != now.many) return now.many ? to_many(old, now) : Conversion::lossy;
  if (old.type == now.type) {
    // The rows check references within this plugin.
    const bool is_elsewhere =
        now.type == FieldType::reference && !is_same_target(old, now) && !now.refers_to_own();
    return is_elsewhere ? Conversion::lossy : Conversion::none;
  }
  if (is_same_target(old, now)) return Conversion::in_place;
  if (now.type == FieldType::text) return to_text(old);
  const bool is_wider = (old.type == FieldType::integer && now.type == FieldType::number) ||
                        (old.type == FieldType::date && now.type == FieldType::datetime);
  return is_wider ? Conversion::rebuild : Conversion::lossy;
}

std::string kind_text(const Field& field) {
  std::string text(name_of(field.type));
  if (field.type == FieldType::reference) text.append(" to ").append(field.table);
  if (field.many) text += ", many";
  return text;
}

}  // namespace tenon::data::schema

#include "realtime/row.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/json_slice.hpp"

namespace tenon::realtime {

namespace {

using data::schema::FieldType;

expression::Value value_of(FieldType type, const base::JsonSlice& json) {
  if (json.is_null()) return {};
  switch (type) {
    case FieldType::boolean:
      if (json.type() == base::JsonType::boolean) return std::int64_t{json.boolean() ? 1 : 0};
      return json.integer().value_or(0);
    case FieldType::integer:
      return json.integer().value_or(0);
    case FieldType::number:
      if (json.type() == base::JsonType::string) return std::strtod(json.string().c_str(), nullptr);
      return json.number();
    case FieldType::json:
    case FieldType::blob:
      return std::int64_t{1};  // they can only be compared with null
    default:
      return json.string();
  }
}

}  // namespace

std::shared_ptr<const Row> Row::now(const records::TableModel& table, std::string json) {
  const std::shared_ptr<Row> row(new Row(table));
  row->json_ = std::move(json);
  row->is_exact_ = row->json_.find_first_of("\r\n") == std::string::npos;
  // White space between the values of a json field; an event's data is one line.
  std::replace(row->json_.begin(), row->json_.end(), '\n', ' ');
  std::replace(row->json_.begin(), row->json_.end(), '\r', ' ');
  row->texts_.resize(table.fields.size(), "null");
  row->read(row->json_);
  return row;
}

std::shared_ptr<const Row> Row::before(const records::TableModel& table, std::string id,
                                       std::string_view json) {
  try {
    base::check_json(json);
  } catch (const base::Error&) {
    return nullptr;  // bytes that are no UTF-8
  }
  const std::shared_ptr<Row> row(new Row(table));
  row->id_ = std::move(id);
  base::JsonSlice(json).each_element([&](const base::JsonSlice& part) { row->read(part.text()); });
  return row;
}

void Row::read(std::string_view json) {
  std::size_t next = 0;  // members come in the order of the fields
  base::JsonSlice(json).each_member([&](const std::string& name, const base::JsonSlice& value) {
    if (name == "id") {
      id_ = value.string();
      return;
    }
    const auto& fields = table_.fields;
    const auto is_it = [&](const records::FieldModel& field) { return field.field.name == name; };
    auto found =
        std::find_if(fields.begin() + static_cast<std::ptrdiff_t>(next), fields.end(), is_it);
    if (found == fields.end()) found = std::find_if(fields.begin(), fields.end(), is_it);
    if (found == fields.end()) return;
    const auto at = static_cast<std::size_t>(found - fields.begin());
    next = at + 1;
    if (!texts_.empty()) texts_[at] = value.text();
    const data::schema::Field& field = found->field;
    if (field.type == FieldType::computed) return;
    Cell& cell = cells_[at];
    if (field.many) {
      cell.is_known = value.type() != base::JsonType::number;
      if (value.type() != base::JsonType::array) return;
      value.each_element([&](const base::JsonSlice& member) {
        cell.members.push_back(
            member.type() == base::JsonType::string ? member.string() : std::string(member.text()));
      });
    } else if (field.type == FieldType::text && value.type() == base::JsonType::number) {
      cell.is_known = false;
    } else {
      cell.value = value_of(field.type, value);
    }
  });
}

const Row::Cell* Row::find(std::string_view field) const noexcept {
  const records::FieldModel* found = table_.find(field);
  return found == nullptr ? nullptr
                          : &cells_[static_cast<std::size_t>(found - table_.fields.data())];
}

expression::Value Row::value(std::string_view field) const {
  if (field == "id") return id_;
  const Cell* cell = find(field);
  return cell == nullptr ? expression::Value() : cell->value;
}

std::vector<std::string> Row::members(std::string_view field) const {
  const Cell* cell = find(field);
  return cell == nullptr ? std::vector<std::string>() : cell->members;
}

bool Row::knows(const expression::Checked& checked) const {
  const auto& names = checked.fields();
  return std::all_of(names.begin(), names.end(), [&](const expression::NamedField& named) {
    if (named.table != table_.table.name) return true;
    const Cell* cell = find(named.field);
    return cell == nullptr || cell->is_known;
  });
}

bool Row::is_same(const Row& other, std::string_view field) const {
  if (field == "id") return id_ == other.id_;
  const Cell* own = find(field);
  const Cell* its = other.find(field);
  return own != nullptr && its != nullptr && own->is_known && its->is_known &&
         own->value == its->value && own->members == its->members;
}

}  // namespace tenon::realtime

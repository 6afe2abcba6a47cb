#include "realtime/reads.hpp"

#include <algorithm>

#include "records/query/columns.hpp"

namespace tenon::realtime {

namespace {

void add_of(const expression::Typed& node, RemoteReads& reads) {
  const expression::Path& path = node.path;
  for (std::size_t i = 1; i < path.hops.size(); ++i)
    reads.emplace(path.hops[i].table, path.hops[i].field);
  // The last link already contains the id, and nothing else of its target is read.
  if (!path.hops.empty() && !path.ends_on_link) reads.emplace(path.table, path.field);
  for (const expression::Typed& part : node.parts)
    add_of(part, reads);
}

bool is_personal_node(const expression::Typed& node) {
  using expression::Op;
  if (node.op == Op::user || node.op == Op::can || node.op == Op::in_groups) return true;
  return std::any_of(node.parts.begin(), node.parts.end(), is_personal_node);
}

}  // namespace

void add_remote_reads(const expression::Checked& checked, RemoteReads& reads) {
  add_of(checked.root(), reads);
}

bool is_personal(const expression::Checked& checked) {
  return is_personal_node(checked.root());
}

TableFacts::TableFacts(const records::TableModel& model) : table(model) {
  select = "SELECT \"t\".\"id\" AS \"id\"";
  for (const records::FieldModel& field : table.fields) {
    select.append(", ").append(field.value).append(" AS \"").append(field.member).append("\"");
    if (field.computed && !field.field.hidden) {
      is_personal = is_personal || realtime::is_personal(*field.computed);
      add_remote_reads(*field.computed, of_shown);
    }
    if (field.read) add_remote_reads(field.read->checked, of_shown);
  }
  records::append_from(select, table);
  select += " WHERE \"t\".\"id\" = ?" + std::to_string(table.read_slots.slots.size() + 1);
  if (table.read) add_remote_reads(table.read->checked, of_rule);
}

}  // namespace tenon::realtime

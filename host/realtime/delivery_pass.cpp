#include "realtime/delivery_pass.hpp"

#include <algorithm>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/json_writer.hpp"
#include "data/database.hpp"
#include "realtime/limits.hpp"
#include "records/api/record_text.hpp"
#include "records/model/access.hpp"
#include "records/query/columns.hpp"

namespace tenon::realtime {

const DeliveryPass::RowPtr& DeliveryPass::RecordChange::before(std::size_t at) {
  const auto [entry, is_new] = befores.try_emplace(at);
  const Change& change = *changes[at];
  if (is_new && change.before) entry->second = Row::before(table.facts.table, id, *change.before);
  return entry->second;
}

std::size_t DeliveryPass::RecordChange::first_after(std::int64_t position) const noexcept {
  std::size_t at = 0;
  while (at < changes.size() && changes[at]->sequence <= position)
    ++at;
  return at;
}

PrincipalView::PrincipalView(const identity::PrincipalPtr& principal,
                             const identity::Permissions& permissions)
    : context(records::context_of(principal, permissions)), name(rights_text(*principal)) {}

std::optional<bool> PrincipalView::constant(const TableFacts& facts) {
  const auto [entry, is_new] = constants_.try_emplace(&facts);
  if (is_new) {
    entry->second = facts.table.read ? expression::is_constant(facts.table.read->checked, context)
                                     : std::optional(false);
  }
  return entry->second;
}

PrincipalView& DeliveryPass::viewer_of(Follow& follow) {
  if (follow.viewer == nullptr) {
    const identity::PrincipalPtr& principal = follow.follower->subscriber->principal;
    auto& entry = viewers_[rights_text(*principal)];
    if (!entry) entry = std::make_unique<PrincipalView>(principal, feed_.permissions_);
    follow.viewer = entry.get();
  }
  return *follow.viewer;
}

DeliveryPass::RowPtr DeliveryPass::load(FollowedTable& table, std::string_view id) {
  const std::pair<std::string, std::string> key(table.facts.table.table.name, id);
  if (const auto found = rows_.find(key); found != rows_.end()) return found->second;
  const expression::Context anonymous(std::nullopt, {}, base::unix_milliseconds(), {});
  std::vector<data::Cell> cells;
  expression::append_cells(table.facts.table.read_slots, anonymous, cells);
  cells.emplace_back(id);
  data::JsonText text;
  RowPtr row;
  if (transaction_.query(table.facts.select, cells).append_json(data::JsonShape::row, text) != 0)
    row = Row::now(table.facts.table, std::string(text.view()));
  if (!row || row->size() <= record_bytes) rows_.emplace(key, row);
  return row;
}

std::shared_ptr<const expression::Record> DeliveryPass::find(std::string_view table,
                                                             std::string_view id) {
  const auto found = feed_.tables_.find(table);
  return found == feed_.tables_.end() ? nullptr : load(found->second, id);
}

bool DeliveryPass::shows(const records::Rule& rule, const RowPtr& row, PrincipalView& viewer,
                         bool& is_unknown) {
  if (!row) return false;
  if (!row->knows(rule.checked)) {
    is_unknown = true;
    return false;
  }
  return expression::holds(rule.checked, *row, *this, viewer.context);
}

bool DeliveryPass::was_shown(RecordChange& record_change, std::size_t at, bool is_doubtful,
                             const records::Rule* filter, PrincipalView& viewer, bool& is_unknown) {
  const TableFacts& facts = record_change.table.facts;
  const bool is_always = viewer.constant(facts).value_or(false);
  const std::size_t end = is_doubtful ? record_change.changes.size() : at + 1;
  for (; at < end; ++at) {
    if (record_change.is_create(at)) continue;
    if (!record_change.is_known(at)) is_unknown = true;
    if ((is_always || shows(*facts.table.read, record_change.before(at), viewer, is_unknown)) &&
        (filter == nullptr || shows(*filter, record_change.before(at), viewer, is_unknown)))
      return true;
  }
  return false;
}

DeliveryPass::Visibility DeliveryPass::visibility_of(RecordChange& record_change, std::size_t at,
                                                     bool is_doubtful, PrincipalView& viewer) {
  Visibility visibility;
  const TableFacts& facts = record_change.table.facts;
  const std::optional<bool> constant = viewer.constant(facts);
  if (constant == false) return visibility;
  visibility.is_unknown = !record_change.is_known(at);
  if (visibility.is_unknown) return visibility;
  visibility.before =
      was_shown(record_change, at, is_doubtful, nullptr, viewer, visibility.is_unknown);
  if (constant) {
    visibility.after = record_change.now != nullptr;
  } else {
    visibility.after = shows(*facts.table.read, record_change.now, viewer, visibility.is_unknown);
  }
  if (!visibility.after) return visibility;
  for (const records::FieldModel& field : facts.table.fields) {
    if (!field.read || field.field.hidden) continue;
    const bool is_shown =
        expression::holds(field.read->checked, *record_change.now, *this, viewer.context);
    visibility.mask += is_shown ? '1' : '0';
  }
  if (facts.is_personal) visibility.mask += viewer.name;
  return visibility;
}

std::string DeliveryPass::text_of(const RecordChange& record_change, PrincipalView& viewer,
                                  const Visibility& visibility) {
  const records::TableModel& table = record_change.table.facts.table;
  if (record_change.table.facts.is_personal) {
    const records::Statement record =
        records::record_statement(table, records::shown_fields(table), viewer.context,
                                  records::Visibility::all, record_change.id);
    data::JsonText text;
    transaction_.query(record.sql, record.cells).append_json(data::JsonShape::row, text);
    std::string json(text.view());
    std::replace(json.begin(), json.end(), '\n', ' ');
    std::replace(json.begin(), json.end(), '\r', ' ');
    return json;
  }
  std::string text;
  base::JsonWriter json(text);
  json.begin_object().member("id", record_change.id);
  std::size_t ruled = 0;
  for (std::size_t i = 0; i < table.fields.size(); ++i) {
    const records::FieldModel& field = table.fields[i];
    if (field.field.hidden) continue;
    json.key(field.field.name);
    if (field.read && visibility.mask[ruled++] == '0')
      json.null();
    else
      json.raw(record_change.now->texts()[i]);
  }
  json.end_object();
  return text;
}

SseFrame DeliveryPass::frame_of(RecordChange& record_change, const Follow& follow,
                                const Visibility& visibility, const char* action) {
  SseFrame& frame =
      record_change
          .frames[follow.topic + " " + action + " " + (visibility.after ? visibility.mask : "")];
  if (frame) return frame;
  std::string data;
  base::JsonWriter json(data);
  json.begin_object()
      .member("table", record_change.table.facts.table.table.name)
      .member("action", action)
      .member("id", record_change.id);
  if (*action != 'd' && record_change.now->size() <= record_bytes) {
    const std::string record = text_of(record_change, *follow.viewer, visibility);
    json.key("record").raw(record);
    if (record_change.now->is_exact())
      json.member("etag", records::etag_of(record_change.table.facts.table, record));
  }
  json.end_object();
  return frame = make_frame(follow.topic, data);
}

void DeliveryPass::deliver_to(RecordChange& record_change, std::size_t at, bool is_doubtful,
                              Follow& follow, const Visibility& visibility) {
  bool before = visibility.before;
  bool after = visibility.after;
  bool is_unknown = visibility.is_unknown;
  if (follow.filter && !is_unknown) {
    if (before)
      before = was_shown(record_change, at, is_doubtful, follow.filter.get(), *follow.viewer,
                         is_unknown);
    if (after) after = shows(*follow.filter, record_change.now, *follow.viewer, is_unknown);
  }
  if (is_unknown) return follow.follower->resync(follow.topic);
  if (!before && !after) return;
  const char* const action = !before ? "create" : after ? "update" : "delete";
  follow.follower->add(frame_of(record_change, follow, visibility, action));
}

bool DeliveryPass::is_read(const RemoteReads& reads, RecordChange& record_change) {
  const std::string& table = record_change.table.facts.table.table.name;
  for (auto read = reads.lower_bound({table, ""}); read != reads.end() && read->first == table;
       ++read) {
    for (std::size_t at = 0; at < record_change.changes.size(); ++at) {
      if (record_change.is_create(at)) continue;  // nothing referred to it yet
      if (!record_change.now || !record_change.is_known(at) ||
          !record_change.before(at)->is_same(*record_change.now, read->second))
        return true;
    }
  }
  return false;
}

// Sends a resync if a rule, filter or computed field of another table reads this record over a
// path. The effect on that table cannot be delivered change by change.
void DeliveryPass::resync_readers(RecordChange& record_change, std::int64_t from) {
  for (auto& [name, table] : feed_.tables_) {
    if (table.follows.empty()) continue;
    const bool in_shown = is_read(table.facts.of_shown, record_change);
    const bool in_rule = is_read(table.facts.of_rule, record_change);
    for (Follow& follow : table.follows) {
      const std::int64_t position = follow.follower->position;
      if (position < from || record_change.first_after(position) == record_change.changes.size())
        continue;
      const bool in_filter = !follow.of_filter.empty() && is_read(follow.of_filter, record_change);
      if (!in_shown && !in_rule && !in_filter) continue;
      const std::optional<bool> constant = viewer_of(follow).constant(table.facts);
      if (constant != false && (in_shown || in_filter || !constant))
        follow.follower->resync(follow.topic);
    }
  }
}

void DeliveryPass::deliver(RecordChange& record_change, std::int64_t from) {
  resync_readers(record_change, from);
  const PrincipalView* last = nullptr;
  std::size_t last_at = 0;
  bool was_doubtful = false;
  Visibility visibility;
  for (Follow& follow : record_change.table.follows) {
    const FeedSubscriber& follower = *follow.follower;
    if (follower.position < from || follower.has_overflowed || follower.is_flooded) continue;
    if (!follow.record.empty() && follow.record != record_change.id) continue;
    const std::size_t at = record_change.first_after(follower.position);
    if (at == record_change.changes.size()) continue;
    PrincipalView& viewer = viewer_of(follow);
    const bool is_doubtful = follower.position < follower.doubtful_until;
    if (&viewer != last || at != last_at || is_doubtful != was_doubtful) {
      visibility = visibility_of(record_change, at, is_doubtful, viewer);
      last = &viewer;
      last_at = at;
      was_doubtful = is_doubtful;
    }
    deliver_to(record_change, at, is_doubtful, follow, visibility);
  }
}

void DeliveryPass::deliver(const std::vector<Change>& changes, std::int64_t from) {
  std::vector<RecordChange> record_changes;
  std::map<std::pair<std::string_view, std::string_view>, std::size_t> entries;
  for (const Change& change : changes) {
    const auto table = feed_.tables_.find(change.table);
    if (table == feed_.tables_.end()) continue;
    const auto [entry, is_new] =
        entries.try_emplace({change.table, change.record}, record_changes.size());
    if (is_new) record_changes.push_back({table->second, change.record, {}, nullptr, true, {}, {}});
    record_changes[entry->second].changes.push_back(&change);
  }
  for (RecordChange& record_change : record_changes) {
    try {
      record_change.now = load(record_change.table, record_change.id);
    } catch (const base::Error& error) {
      if (error.code() != "data.too_large") throw;
      record_change.is_now_known = false;
    }
    deliver(record_change, from);
    record_change.now = nullptr;
    record_change.befores.clear();
    record_change.frames.clear();
  }
}

}  // namespace tenon::realtime

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
  const auto [place, is_new] = befores.try_emplace(at);
  const Change& change = *changes[at];
  if (is_new && change.before) place->second = Row::before(table.facts.table, id, *change.before);
  return place->second;
}

std::size_t DeliveryPass::RecordChange::first_behind(std::int64_t position) const noexcept {
  std::size_t at = 0;
  while (at < changes.size() && changes[at]->sequence <= position)
    ++at;
  return at;
}

PrincipalView::PrincipalView(const identity::PrincipalPtr& principal,
                             const identity::Permissions& permissions)
    : context(records::context_of(principal, permissions)), name(rights_text(*principal)) {}

std::optional<bool> PrincipalView::constant(const TableFacts& facts) {
  const auto [place, is_new] = constants_.try_emplace(&facts);
  if (is_new) {
    place->second = facts.table.read ? expression::is_constant(facts.table.read->checked, context)
                                     : std::optional(false);
  }
  return place->second;
}

PrincipalView& DeliveryPass::viewer_of(Follow& follow) {
  if (follow.viewer == nullptr) {
    const identity::PrincipalPtr& principal = follow.follower->subscriber->principal;
    auto& place = viewers_[rights_text(*principal)];
    if (!place) place = std::make_unique<PrincipalView>(principal, feed_.permissions_);
    follow.viewer = place.get();
  }
  return *follow.viewer;
}

DeliveryPass::RowPtr DeliveryPass::load(FollowedTable& table, std::string_view id) {
  const std::pair<std::string, std::string> key(table.facts.table.table.name, id);
  if (const auto found = rows_.find(key); found != rows_.end()) return found->second;
  const expression::Context nobody(std::nullopt, {}, base::unix_milliseconds(), {});
  std::vector<data::Cell> cells;
  expression::append_cells(table.facts.table.read_slots, nobody, cells);
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

bool DeliveryPass::was_shown(RecordChange& scene, std::size_t at, bool is_doubtful,
                             const records::Rule* filter, PrincipalView& viewer, bool& is_unknown) {
  const TableFacts& facts = scene.table.facts;
  const bool is_always = viewer.constant(facts).value_or(false);
  const std::size_t end = is_doubtful ? scene.changes.size() : at + 1;
  for (; at < end; ++at) {
    if (scene.is_create(at)) continue;
    if (!scene.is_known(at)) is_unknown = true;
    if ((is_always || shows(*facts.table.read, scene.before(at), viewer, is_unknown)) &&
        (filter == nullptr || shows(*filter, scene.before(at), viewer, is_unknown)))
      return true;
  }
  return false;
}

DeliveryPass::Visibility DeliveryPass::sight_of(RecordChange& scene, std::size_t at,
                                                bool is_doubtful, PrincipalView& viewer) {
  Visibility sight;
  const TableFacts& facts = scene.table.facts;
  const std::optional<bool> constant = viewer.constant(facts);
  if (constant == false) return sight;
  sight.is_unknown = !scene.is_known(at);
  if (sight.is_unknown) return sight;
  sight.before = was_shown(scene, at, is_doubtful, nullptr, viewer, sight.is_unknown);
  if (constant) {
    sight.after = scene.now != nullptr;
  } else {
    sight.after = shows(*facts.table.read, scene.now, viewer, sight.is_unknown);
  }
  if (!sight.after) return sight;
  for (const records::FieldModel& field : facts.table.fields) {
    if (!field.read || field.field.hidden) continue;
    const bool is_shown = expression::holds(field.read->checked, *scene.now, *this, viewer.context);
    sight.mask += is_shown ? '1' : '0';
  }
  if (facts.is_personal) sight.mask += viewer.name;
  return sight;
}

std::string DeliveryPass::text_of(const RecordChange& scene, PrincipalView& viewer,
                                  const Visibility& sight) {
  const records::TableModel& table = scene.table.facts.table;
  if (scene.table.facts.is_personal) {
    const records::Statement record = records::record_statement(
        table, records::shown_fields(table), viewer.context, records::Visibility::all, scene.id);
    data::JsonText text;
    transaction_.query(record.sql, record.cells).append_json(data::JsonShape::row, text);
    std::string json(text.view());
    std::replace(json.begin(), json.end(), '\n', ' ');
    std::replace(json.begin(), json.end(), '\r', ' ');
    return json;
  }
  std::string text;
  base::JsonWriter json(text);
  json.begin_object().member("id", scene.id);
  std::size_t ruled = 0;
  for (std::size_t i = 0; i < table.fields.size(); ++i) {
    const records::FieldModel& field = table.fields[i];
    if (field.field.hidden) continue;
    json.key(field.field.name);
    if (field.read && sight.mask[ruled++] == '0')
      json.null();
    else
      json.raw(scene.now->texts()[i]);
  }
  json.end_object();
  return text;
}

Frame DeliveryPass::frame_of(RecordChange& scene, const Follow& follow, const Visibility& sight,
                             const char* action) {
  Frame& frame = scene.frames[follow.topic + " " + action + " " + (sight.after ? sight.mask : "")];
  if (frame) return frame;
  std::string data;
  base::JsonWriter json(data);
  json.begin_object()
      .member("table", scene.table.facts.table.table.name)
      .member("action", action)
      .member("id", scene.id);
  if (*action != 'd' && scene.now->size() <= record_bytes) {
    const std::string record = text_of(scene, *follow.viewer, sight);
    json.key("record").raw(record);
    if (scene.now->is_exact())
      json.member("etag", records::etag_of(scene.table.facts.table, record));
  }
  json.end_object();
  return frame = make_frame(follow.topic, data);
}

void DeliveryPass::tell_follow(RecordChange& scene, std::size_t at, bool is_doubtful,
                               Follow& follow, const Visibility& sight) {
  bool before = sight.before;
  bool after = sight.after;
  bool is_unknown = sight.is_unknown;
  if (follow.filter && !is_unknown) {
    if (before)
      before = was_shown(scene, at, is_doubtful, follow.filter.get(), *follow.viewer, is_unknown);
    if (after) after = shows(*follow.filter, scene.now, *follow.viewer, is_unknown);
  }
  if (is_unknown) return follow.follower->resync(follow.topic);
  if (!before && !after) return;
  const char* const action = !before ? "create" : after ? "update" : "delete";
  follow.follower->tell(frame_of(scene, follow, sight, action));
}

bool DeliveryPass::is_read(const RemoteReads& reads, RecordChange& scene) {
  const std::string& table = scene.table.facts.table.table.name;
  for (auto read = reads.lower_bound({table, ""}); read != reads.end() && read->first == table;
       ++read) {
    for (std::size_t at = 0; at < scene.changes.size(); ++at) {
      if (scene.is_create(at)) continue;  // nothing referred to it yet
      if (!scene.now || !scene.is_known(at) || !scene.before(at)->is_same(*scene.now, read->second))
        return true;
    }
  }
  return false;
}

// A record that another one's rule, filter or computed field reads over a path: what they see of
// that table cannot be told change by change.
void DeliveryPass::tell_readers(RecordChange& scene, std::int64_t from) {
  for (auto& [name, table] : feed_.tables_) {
    if (table.follows.empty()) continue;
    const bool in_shown = is_read(table.facts.of_shown, scene);
    const bool in_rule = is_read(table.facts.of_rule, scene);
    for (Follow& follow : table.follows) {
      const std::int64_t position = follow.follower->position;
      if (position < from || scene.first_behind(position) == scene.changes.size()) continue;
      const bool in_filter = !follow.of_filter.empty() && is_read(follow.of_filter, scene);
      if (!in_shown && !in_rule && !in_filter) continue;
      const std::optional<bool> constant = viewer_of(follow).constant(table.facts);
      if (constant != false && (in_shown || in_filter || !constant))
        follow.follower->resync(follow.topic);
    }
  }
}

void DeliveryPass::tell(RecordChange& scene, std::int64_t from) {
  tell_readers(scene, from);
  const PrincipalView* last = nullptr;
  std::size_t last_at = 0;
  bool was_doubtful = false;
  Visibility sight;
  for (Follow& follow : scene.table.follows) {
    const FeedSubscriber& follower = *follow.follower;
    if (follower.position < from || follower.is_over || follower.is_flooded) continue;
    if (!follow.record.empty() && follow.record != scene.id) continue;
    const std::size_t at = scene.first_behind(follower.position);
    if (at == scene.changes.size()) continue;
    PrincipalView& viewer = viewer_of(follow);
    const bool is_doubtful = follower.position < follower.doubtful_until;
    if (&viewer != last || at != last_at || is_doubtful != was_doubtful) {
      sight = sight_of(scene, at, is_doubtful, viewer);
      last = &viewer;
      last_at = at;
      was_doubtful = is_doubtful;
    }
    tell_follow(scene, at, is_doubtful, follow, sight);
  }
}

void DeliveryPass::tell(const std::vector<Change>& changes, std::int64_t from) {
  std::vector<RecordChange> scenes;
  std::map<std::pair<std::string_view, std::string_view>, std::size_t> places;
  for (const Change& change : changes) {
    const auto table = feed_.tables_.find(change.table);
    if (table == feed_.tables_.end()) continue;
    const auto [place, is_new] = places.try_emplace({change.table, change.record}, scenes.size());
    if (is_new) scenes.push_back({table->second, change.record, {}, nullptr, true, {}, {}});
    scenes[place->second].changes.push_back(&change);
  }
  for (RecordChange& scene : scenes) {
    try {
      scene.now = load(scene.table, scene.id);
    } catch (const base::Error& error) {
      if (error.code() != "data.too_large") throw;
      scene.is_now_known = false;
    }
    tell(scene, from);
    scene.now = nullptr;
    scene.befores.clear();
    scene.frames.clear();
  }
}

}  // namespace tenon::realtime

#include "realtime/change_feed.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "base/ids.hpp"
#include "data/database.hpp"
#include "identity/users/permissions.hpp"
#include "realtime/delivery_pass.hpp"
#include "realtime/limits.hpp"
#include "records/model/access.hpp"

namespace tenon::realtime {

namespace {

constexpr std::size_t mark_size = 12;

// Changes whenever what the subscriber may see does, and differs between people.
std::string mark_of(const std::string& log, const identity::Principal& principal,
                    const identity::Permissions& permissions) {
  std::string text = log + " " + rights_text(principal);
  for (const std::string& permission : permissions.held_by(principal))
    text += " " + permission;
  return base::sha256_hex(text).substr(0, mark_size);
}

bool follows(const TopicFilter& interest, const std::string& plugin,
             const records::TableModel& table) {
  return interest.plugin == plugin && table.table.publish &&
         (interest.table.empty() || interest.table == table.table.name);
}

std::shared_ptr<const records::Rule> filter_of(const records::Model& model,
                                               const records::TableModel& table,
                                               records::Filters& filters, const std::string& text,
                                               const expression::Context& context) {
  if (text.empty()) return nullptr;
  auto filter = filters.get(model, table, text);
  records::require_visible(*filter, model, table, context);
  return filter;
}

}  // namespace

void check_interests(const records::Model& model, const std::string& plugin,
                     const std::vector<TopicFilter>& interests,
                     const identity::PrincipalPtr& principal,
                     const identity::Permissions& permissions) {
  const expression::Context context = records::context_of(principal, permissions);
  for (const TopicFilter& interest : interests) {
    if (interest.plugin != plugin) continue;
    if (!interest.filter.empty() && (interest.table.empty() || !interest.record.empty())) {
      throw base::Error(422, "events.bad_filter",
                        "A filter belongs to one table: filter." + plugin + ".<table>=….");
    }
    if (interest.table.empty()) continue;
    const records::TableModel* table = model.find(interest.table);
    if (table == nullptr || !table->table.publish) {
      throw base::Error(404, "events.unknown_topic",
                        "There is no published table '" + plugin + "." + interest.table + "'.");
    }
    records::Filters filters;
    filter_of(model, *table, filters, interest.filter, context);
  }
}

ChangeFeed::ChangeFeed(std::string plugin, std::shared_ptr<const records::Model> model,
                       std::shared_ptr<data::Database> database,
                       const identity::Permissions& permissions)
    : plugin_(std::move(plugin)),
      model_(std::move(model)),
      database_(std::move(database)),
      permissions_(permissions) {
  for (const records::TableModel& table : model_->tables())
    tables_.try_emplace(table.table.name, table);
}

ChangeFeed::~ChangeFeed() = default;

void ChangeFeed::add_follows(FeedSubscriber& follower) {
  const Subscriber& subscriber = *follower.subscriber;
  const expression::Context context = records::context_of(subscriber.principal, permissions_);
  const auto key = [](const Follow& follow) {
    const identity::Principal& principal = *follow.follower->subscriber->principal;
    return std::tie(principal.user_id, principal.role, principal.groups);
  };
  for (auto& [name, table] : tables_) {
    for (const TopicFilter& interest : subscriber.interests) {
      if (!follows(interest, plugin_, table.facts.table)) continue;
      Follow follow{&follower, interest.topic, interest.record, nullptr, {}};
      if (interest.table.empty()) follow.topic = plugin_ + "." + name;
      follow.filter =
          filter_of(*model_, table.facts.table, table.filters, interest.filter, context);
      if (follow.filter) add_remote_reads(follow.filter->checked, follow.of_filter);
      follower.topics.insert(follow.topic);
      const auto at = std::upper_bound(
          table.follows.begin(), table.follows.end(), follow,
          [&](const Follow& one, const Follow& other) { return key(one) < key(other); });
      table.follows.insert(at, std::move(follow));
    }
  }
}

void ChangeFeed::join(const SubscriberPtr& subscriber, bool is_late) {
  LogEnds ends;
  {
    data::Transaction transaction = database_->begin(data::Mode::read);
    ends = read_ends(transaction, database_->dialect());
  }
  if (followers_.empty()) position_ = ends.newest;
  auto follower = std::make_unique<FeedSubscriber>();
  follower->subscriber = subscriber;
  follower->mark = mark_of(ends.name, *subscriber->principal, permissions_);
  follower->position = position_;
  const auto known = subscriber->positions.find(plugin_);
  if (known != subscriber->positions.end() && !is_late) {
    const StreamPosition& last = known->second;
    if (last.mark == follower->mark && last.sequence <= ends.newest &&
        last.sequence >= ends.oldest - 1) {
      follower->position = last.sequence;
      follower->doubtful_until = ends.newest;
    } else {
      is_late = true;
    }
  }
  followers_.push_back(std::move(follower));
  FeedSubscriber& joined = *followers_.back();
  try {
    add_follows(joined);
  } catch (...) {
    subscriber->is_gone = true;
    prune();
    throw;
  }
  if (is_late) joined.resync_all();
  joined.placed = joined.position;
  subscriber->positions[plugin_] = {joined.mark, joined.position};
}

void ChangeFeed::prune() {
  // A subscriber may go at any moment: what follows for it leaves with it, or both stay.
  for (const auto& follower : followers_)
    follower->is_leaving = follower->subscriber->is_gone;
  for (auto& [name, table] : tables_)
    std::erase_if(table.follows, [](const Follow& follow) { return follow.follower->is_leaving; });
  std::erase_if(followers_, [](const auto& follower) { return follower->is_leaving; });
}

std::int64_t ChangeFeed::pass(data::Transaction& transaction, std::int64_t from, std::int64_t until,
                              std::int64_t newest) {
  try {
    const Changes changes = read_changes(transaction, from, until, round_changes);
    const std::int64_t reached = changes.is_gapless && changes.has_more ? changes.last : until;
    if (changes.is_gapless) {
      DeliveryPass delivery(*this, transaction);
      for (auto& [name, table] : tables_) {
        for (Follow& follow : table.follows)
          follow.viewer = nullptr;
      }
      delivery.deliver(changes.list, from);
    }
    for (const auto& follower : followers_) {
      if (follower->position < from || follower->position >= reached) continue;
      if (!changes.is_gapless) follower->resync_all();
      follower->position = reached;
      follower->doubtful_until = std::max(follower->doubtful_until, newest);
    }
    flush(newest);
    return reached;
  } catch (...) {
    for (const auto& follower : followers_)
      follower->drop();
    throw;
  }
}

bool ChangeFeed::deliver() {
  prune();
  if (followers_.empty()) return false;
  data::Transaction transaction = database_->begin(data::Mode::read);
  const LogEnds ends = read_ends(transaction, database_->dialect());
  flush(ends.newest);
  std::int64_t oldest = position_;
  for (const auto& follower : followers_)
    oldest = std::min(oldest, follower->position);
  if (ends.newest > position_) {
    const std::int64_t from = position_;
    position_ = pass(transaction, from, ends.newest, ends.newest);
    // Followers that catch up come last, so that they delay no other.
    if (oldest < from) pass(transaction, oldest, from, ends.newest);
  } else if (oldest < position_) {
    pass(transaction, oldest, position_, ends.newest);
  }
  return position_ < ends.newest ||
         std::any_of(followers_.begin(), followers_.end(),
                     [&](const auto& follower) { return follower->position < position_; });
}

void ChangeFeed::flush(std::int64_t newest) {
  for (const auto& follower : followers_) {
    delivered_count_ += follower->events.size() + follower->resyncs.size();
    follower->flush(plugin_, newest);
  }
}

}  // namespace tenon::realtime

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "realtime/reads.hpp"
#include "realtime/subscriber.hpp"
#include "records/model/model.hpp"
#include "records/query/filters.hpp"

namespace tenon::data {
class Database;
class Transaction;
}  // namespace tenon::data
namespace tenon::identity {
class Permissions;
}

namespace tenon::realtime {

class PrincipalView;

/// A followed table, record of a table, or filtered part of a table.
struct Follow {
  FeedSubscriber* follower;
  std::string topic;                            ///< the name of its events
  std::string record;                           ///< empty: all
  std::shared_ptr<const records::Rule> filter;  ///< null: none
  RemoteReads of_filter;
  PrincipalView* viewer = nullptr;  ///< of the pass
};

/// The compiled rules of a table, and its followers.
struct FollowedTable {
  explicit FollowedTable(const records::TableModel& table) : facts(table) {}

  const TableFacts facts;
  records::Filters filters;
  std::vector<Follow> follows;  ///< those of one user are adjacent
};

/// The changes of one plugin's published tables, and those who follow them. One thread at a time.
class ChangeFeed {
 public:
  /// `permissions` outlives it.
  ChangeFeed(std::string plugin, std::shared_ptr<const records::Model> model,
             std::shared_ptr<data::Database> database, const identity::Permissions& permissions);
  ~ChangeFeed();
  ChangeFeed(const ChangeFeed&) = delete;
  ChangeFeed& operator=(const ChangeFeed&) = delete;

  const std::string& plugin() const noexcept { return plugin_; }

  /// Adds the subscriber: from now on it gets every change. If it names its last position and the
  /// log still contains it, the missed changes come first; else a resync. `is_late`: the plugin
  /// became active after the subscriber, so it gets a resync. Throws read errors and the errors of
  /// a filter.
  void join(const SubscriberPtr& subscriber, bool is_late);

  /// Removes subscribers that are gone.
  void prune();
  bool is_idle() const noexcept { return followers_.empty(); }

  /// Delivers a pass of changes. Returns true if more are waiting. Throws read errors; the next
  /// call delivers the rest.
  bool deliver();

  /// Returns the number of events and resyncs that were sent.
  std::uint64_t delivered_count() const noexcept { return delivered_count_; }

 private:
  friend class DeliveryPass;
  void add_follows(FeedSubscriber& follower);
  /// Delivers a pass of changes after `from` to followers at a position from there to `until`.
  /// Returns the position that it reached. `newest`: of the snapshot of `transaction`.
  std::int64_t pass(data::Transaction& transaction, std::int64_t from, std::int64_t until,
                    std::int64_t newest);
  void flush(std::int64_t newest);

  const std::string plugin_;
  const std::shared_ptr<const records::Model> model_;
  const std::shared_ptr<data::Database> database_;
  const identity::Permissions& permissions_;
  std::map<std::string, FollowedTable, std::less<>> tables_;  ///< all of the model
  std::vector<std::unique_ptr<FeedSubscriber>> followers_;
  std::int64_t position_ = 0;  ///< of all followers except those that catch up
  std::uint64_t delivered_count_ = 0;
};

/// Throws the errors of the interests of this plugin: 404 "events.unknown_topic", 422
/// "events.bad_filter", 400 records.field_not_allowed and 422 expression.invalid for a filter.
void check_interests(const records::Model& model, const std::string& plugin,
                     const std::vector<TopicFilter>& interests,
                     const identity::PrincipalPtr& principal,
                     const identity::Permissions& permissions);

}  // namespace tenon::realtime

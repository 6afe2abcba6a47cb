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

/// A table that somebody follows, or a record of it, or what a filter lets through.
struct Follow {
  FeedSubscriber* follower;
  std::string topic;                            ///< the name of its events
  std::string record;                           ///< empty: all
  std::shared_ptr<const records::Rule> filter;  ///< null: none
  RemoteReads of_filter;
  PrincipalView* viewer = nullptr;  ///< of the round
};

/// What is compiled of a table, and who follows it.
struct FollowedTable {
  explicit FollowedTable(const records::TableModel& table) : facts(table) {}

  const TableFacts facts;
  records::Filters filters;
  std::vector<Follow> follows;  ///< those of one person behind each other
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

  /// From now on the subscriber is told; first of what it missed, where it says where it left off
  /// and the log reaches back so far, else of a resync. `is_late`: it follows already, and the
  /// plugin came later: a resync. Throws what reading fails with, and what is wrong with a filter.
  void join(const SubscriberPtr& subscriber, bool is_late);

  /// Forgets those that are gone.
  void prune();
  bool is_idle() const noexcept { return followers_.empty(); }

  /// Tells a round of changes; true when more wait. Throws what reading fails with; what was not
  /// told then comes with the next call.
  bool tell();

  /// Events and resyncs that were sent.
  std::uint64_t told() const noexcept { return told_; }

 private:
  friend class DeliveryPass;
  void add_follows(FeedSubscriber& follower);
  /// Tells a round of changes behind `from` to those who stand there, or between there and
  /// `until`; how far it came. `newest`: of the snapshot of `transaction`.
  std::int64_t pass(data::Transaction& transaction, std::int64_t from, std::int64_t until,
                    std::int64_t newest);
  void flush(std::int64_t newest);

  const std::string plugin_;
  const std::shared_ptr<const records::Model> model_;
  const std::shared_ptr<data::Database> database_;
  const identity::Permissions& permissions_;
  std::map<std::string, FollowedTable, std::less<>> tables_;  ///< all of the model
  std::vector<std::unique_ptr<FeedSubscriber>> followers_;
  std::int64_t position_ = 0;  ///< of all but those who catch up
  std::uint64_t told_ = 0;
};

/// Throws what is wrong with the interests of this plugin: 404 "events.unknown_topic", 422
/// "events.bad_filter", 400 records.field_not_allowed and 422 expression.invalid for a filter.
void check_interests(const records::Model& model, const std::string& plugin,
                     const std::vector<TopicFilter>& interests,
                     const identity::PrincipalPtr& principal,
                     const identity::Permissions& permissions);

}  // namespace tenon::realtime

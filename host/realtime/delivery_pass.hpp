#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "realtime/change_feed.hpp"
#include "realtime/change_log.hpp"
#include "realtime/row.hpp"

namespace tenon::realtime {

/// One person in a round: the followers of all their tabs share what is asked for them.
class PrincipalView {
 public:
  PrincipalView(const identity::PrincipalPtr& principal, const identity::Permissions& permissions);

  /// What the table's read rule is for them whatever the record; nullopt: it depends.
  std::optional<bool> constant(const TableFacts& facts);

  const expression::Context context;
  const std::string name;  ///< differs from everybody else's

 private:
  std::map<const TableFacts*, std::optional<bool>> constants_;
};

/// Tells followers of some changes. What was before is in the log, what is now is in the snapshot
/// of `transaction`.
class DeliveryPass final : public expression::Records {
 public:
  DeliveryPass(ChangeFeed& feed, data::Transaction& transaction)
      : feed_(feed), transaction_(transaction) {}

  /// To those who stand at `from` or behind it, each of what comes behind its place. All changes of
  /// a record are told as one, in the order of their first.
  void tell(const std::vector<Change>& changes, std::int64_t from);

  std::shared_ptr<const expression::Record> find(std::string_view table,
                                                 std::string_view id) override;

 private:
  using RowPtr = std::shared_ptr<const Row>;
  /// What a person sees of a change.
  struct Visibility {
    bool before = false;
    bool after = false;
    bool is_unknown = false;  ///< it cannot be told: what was before is not kept in full
    std::string mask;         ///< which fields are shown now; only where that differs
  };
  /// A record that was changed.
  struct RecordChange {
    FollowedTable& table;
    std::string id;
    std::vector<const Change*> changes;
    RowPtr now;
    bool is_now_known = true;
    std::map<std::size_t, RowPtr> befores;  ///< by the place in `changes`
    std::unordered_map<std::string, Frame> frames;

    bool is_create(std::size_t at) const noexcept { return changes[at]->is_create; }
    /// Null where there was none, and where it is not known.
    const RowPtr& before(std::size_t at);
    bool is_known(std::size_t at) { return is_now_known && (is_create(at) || before(at)); }
    /// The first that a follower was not told of; changes.size() where there is none.
    std::size_t first_behind(std::int64_t position) const noexcept;
  };

  RowPtr load(FollowedTable& table, std::string_view id);
  void tell(RecordChange& scene, std::int64_t from);
  PrincipalView& viewer_of(Follow& follow);
  bool shows(const records::Rule& rule, const RowPtr& row, PrincipalView& viewer, bool& is_unknown);
  /// Before the change; of a doubtful follower also before any later one, whose event it may have
  /// had already.
  bool was_shown(RecordChange& scene, std::size_t at, bool is_doubtful, const records::Rule* filter,
                 PrincipalView& viewer, bool& is_unknown);
  Visibility sight_of(RecordChange& scene, std::size_t at, bool is_doubtful, PrincipalView& viewer);
  void tell_follow(RecordChange& scene, std::size_t at, bool is_doubtful, Follow& follow,
                   const Visibility& sight);
  Frame frame_of(RecordChange& scene, const Follow& follow, const Visibility& sight,
                 const char* action);
  std::string text_of(const RecordChange& scene, PrincipalView& viewer, const Visibility& sight);
  bool is_read(const RemoteReads& reads, RecordChange& scene);
  void tell_readers(RecordChange& scene, std::int64_t from);

  ChangeFeed& feed_;
  data::Transaction& transaction_;
  std::map<std::pair<std::string, std::string>, RowPtr> rows_;
  std::map<std::string, std::unique_ptr<PrincipalView>> viewers_;  ///< by rights_text()
};

}  // namespace tenon::realtime

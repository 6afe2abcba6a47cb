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

/// The view of one user in a delivery pass. The followers of all tabs of this user share it.
class PrincipalView {
 public:
  PrincipalView(const identity::PrincipalPtr& principal, const identity::Permissions& permissions);

  /// Returns the table's read rule if it is the same for all records; nullopt: it depends on the
  /// record.
  std::optional<bool> constant(const TableFacts& facts);

  const expression::Context context;
  const std::string name;  ///< unique for each user

 private:
  std::map<const TableFacts*, std::optional<bool>> constants_;
};

/// Delivers a batch of changes to followers. Earlier states come from the change log, current ones
/// from the snapshot of `transaction`.
class DeliveryPass final : public expression::Records {
 public:
  DeliveryPass(ChangeFeed& feed, data::Transaction& transaction)
      : feed_(feed), transaction_(transaction) {}

  /// Delivers to each follower at `from` or later the changes after its position. All changes of a
  /// record become one event, in the order of the first change.
  void deliver(const std::vector<Change>& changes, std::int64_t from);

  std::shared_ptr<const expression::Record> find(std::string_view table,
                                                 std::string_view id) override;

 private:
  using RowPtr = std::shared_ptr<const Row>;
  /// The visibility of a change for a user.
  struct Visibility {
    bool before = false;
    bool after = false;
    bool is_unknown = false;  ///< unknown: the earlier state is not stored in full
    std::string mask;         ///< which fields are shown now; only where that differs
  };
  /// A record that was changed.
  struct RecordChange {
    FollowedTable& table;
    std::string id;
    std::vector<const Change*> changes;
    RowPtr now;
    bool is_now_known = true;
    std::map<std::size_t, RowPtr> befores;  ///< by the index in `changes`
    std::unordered_map<std::string, SseFrame> frames;

    bool is_create(std::size_t at) const noexcept { return changes[at]->is_create; }
    /// Returns the row before the change; null if there was none, or if it is unknown.
    const RowPtr& before(std::size_t at);
    bool is_known(std::size_t at) { return is_now_known && (is_create(at) || before(at)); }
    /// Returns the index of the first change after `position`; changes.size() if there is none.
    std::size_t first_after(std::int64_t position) const noexcept;
  };

  RowPtr load(FollowedTable& table, std::string_view id);
  void deliver(RecordChange& record_change, std::int64_t from);
  PrincipalView& viewer_of(Follow& follow);
  bool shows(const records::Rule& rule, const RowPtr& row, PrincipalView& viewer, bool& is_unknown);
  /// Checks the state before the change. For a doubtful follower also checks the states before
  /// later changes, whose events it may have received already.
  bool was_shown(RecordChange& record_change, std::size_t at, bool is_doubtful,
                 const records::Rule* filter, PrincipalView& viewer, bool& is_unknown);
  Visibility visibility_of(RecordChange& record_change, std::size_t at, bool is_doubtful,
                           PrincipalView& viewer);
  void deliver_to(RecordChange& record_change, std::size_t at, bool is_doubtful, Follow& follow,
                  const Visibility& visibility);
  SseFrame frame_of(RecordChange& record_change, const Follow& follow, const Visibility& visibility,
                    const char* action);
  std::string text_of(const RecordChange& record_change, PrincipalView& viewer,
                      const Visibility& visibility);
  bool is_read(const RemoteReads& reads, RecordChange& record_change);
  void resync_readers(RecordChange& record_change, std::int64_t from);

  ChangeFeed& feed_;
  data::Transaction& transaction_;
  std::map<std::pair<std::string, std::string>, RowPtr> rows_;
  std::map<std::string, std::unique_ptr<PrincipalView>> viewers_;  ///< by rights_text()
};

}  // namespace tenon::realtime

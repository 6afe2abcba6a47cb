#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <tenon/plugin.hpp>

#include "http/routes.hpp"
#include "limits.hpp"
#include "store/access.hpp"
#include "store/attachments.hpp"
#include "store/dialect.hpp"
#include "store/notebooks.hpp"
#include "store/problems.hpp"
#include "store/tags.hpp"
#include "text/exported.hpp"
#include "text/paths.hpp"

namespace notes::http {
namespace {

constexpr std::chrono::seconds snapshot_deadline{60};
constexpr std::size_t piece_bytes = 32U * 1024;

/// Counts the exports that run; shared by them, so that it outlives the last one.
using Counter = std::shared_ptr<std::atomic<int>>;

class Slot {
 public:
  explicit Slot(Counter counter) : counter_(std::move(counter)) {
    if (counter_->fetch_add(1) < max_exports) return;
    counter_->fetch_sub(1);
    throw tenon::Error(503, "notes.export_busy",
                       "Other exports are running. Try again in a few seconds.");
  }
  Slot(Slot&&) noexcept = default;
  Slot& operator=(Slot&&) = delete;
  ~Slot() {
    if (counter_) counter_->fetch_sub(1);
  }

 private:
  Counter counter_;
};

/// Walks the notes in the order of their ids and writes a line each. Memory is bounded by one batch
/// of rows. The snapshot is replaced when it nears its deadline; no note that is there all the time
/// is left out by that.
class Export {
 public:
  Export(tenon::Host& host, store::Reader who, std::optional<std::string> notebook, Counter counter)
      : host_(&host),
        actor_(std::make_unique<const store::Reader>(std::move(who))),
        notebook_(std::move(notebook)),
        slot_(std::move(counter)) {
    open();
  }

  bool operator()(tenon::Stream& out) {
    if (std::chrono::steady_clock::now() - opened_ > export_snapshot) open();
    std::string piece;
    if (!has_begun_) piece = head();
    has_begun_ = true;
    for (auto row = rows_->begin(); !rows_->empty() && piece.size() < piece_bytes; ++row)
      piece += line(*row);
    const bool has_more = !rows_->empty();
    if (!has_more) piece += tail();
    out.write(piece);
    return has_more;
  }

 private:
  void open() {
    rows_.reset();
    snapshot_ = host_->database().snapshot(snapshot_deadline);
    opened_ = std::chrono::steady_clock::now();
    ++snapshots_;
    paths_.clear();
    loose_.clear();
    expected_ = 0;
    store::Scope scope(*snapshot_, *actor_);
    read_paths(scope);
    const store::Dialect& dialect = store::dialect_of(*snapshot_);
    tenon::Arguments arguments;
    arguments.add(last_);
    // The pluses keep SQLite on the order of ids, instead of sorting whole texts.
    std::string sql =
        std::string(
            "SELECT n.id, n.notebook, n.title, n.file, n.pinned, n.created, n.updated, n.text, "
            "n.author FROM notes n WHERE n.id > ? AND ")
            .append(dialect.plus)
            .append("n.deleted IS NULL AND ");
    if (const auto ids = ids_json()) {
      sql.append(dialect.plus).append("n.notebook ").append(dialect.in_json).append(" AND ");
      arguments.add(*ids);
    }
    sql += scope.readable("n", arguments) + " ORDER BY n.id";
    rows_.emplace(snapshot_->query(sql, arguments));
  }

  /// Notebooks of several owners may have one name; so may a notebook that is read without those
  /// around it.
  void read_paths(store::Scope& scope) {
    if (notebook_) {
      for (auto& [id, path] : store::subtree(*snapshot_, *notebook_)) {
        const auto notebook = store::find_notebook(*snapshot_, id);
        expected_ += notebook ? notebook->notes : 0;
        paths_[id] = path + "/";
      }
      return;
    }
    expected_ = store::totals(scope).notes;
    std::set<std::string> taken;
    for (const bool own : {true, false}) {
      for (const auto& notebook : store::all_notebooks(scope)) {
        const bool is_inside = notebook.parent && scope.notebooks().contains(*notebook.parent);
        if (is_inside || own != (notebook.owner == actor_->user)) continue;
        const std::string name = text::free_name(notebook.name, taken);
        const std::string above = store::path_of(*snapshot_, notebook.id);
        for (auto& [id, path] : store::subtree(*snapshot_, notebook.id))
          paths_[id] = name + path.substr(above.size()) + "/";
      }
    }
    loose_folder_ = text::free_name("Shared with me", taken) + "/";
  }

  /// Those of others that are shared by themselves have a folder, in which names are made free.
  std::string path_of(const std::optional<std::string>& notebook, const std::string& author,
                      const std::string& file) {
    const auto folder = notebook ? paths_.find(*notebook) : paths_.end();
    if (folder != paths_.end()) return folder->second + file;
    if (!notebook && author == actor_->user) return file;
    return loose_folder_ + text::free_name(file, loose_);
  }

  std::optional<std::string> ids_json() const {
    if (!notebook_) return std::nullopt;
    tenon::Json ids = tenon::Json::array();
    for (const auto& [id, path] : paths_)
      ids.push_back(id);
    return tenon::to_text(ids);
  }

  std::string head() const {
    return tenon::to_text({{"format", "tenon.notes/1"},
                           {"count", expected_},
                           {"created", tenon::now_text()}}) +
           "\n";
  }

  std::string tail() const {
    return tenon::to_text({{"end", true}, {"count", count_}, {"snapshots", snapshots_}}) + "\n";
  }

  std::string line(const tenon::Row& row) {
    last_ = row.get<std::string>(0);
    ++count_;
    const auto notebook = row.get<std::optional<std::string>>(1);
    const auto title = row.get<std::string>(2);
    const auto file = row.get<std::string>(3);
    const auto tags = store::tags_of(*snapshot_, last_);
    const std::string path = path_of(notebook, row.get<std::string>(8), file);
    const tenon::Json json = {
        {"path", path},
        {"id", last_},
        {"title", title},
        {"tags", tags},
        {"pinned", row.get<bool>(4)},
        {"created", row.get<std::string>(5)},
        {"updated", row.get<std::string>(6)},
        {"attachments", attachments(path)},
        {"text", text::exported_text(row.get<std::string_view>(7), title, file, tags)}};
    return tenon::to_text(json) + "\n";
  }

  /// Returns the attachments of the note last read, with their paths as its text has them, relative
  /// to the note; null for a path outside the archive.
  tenon::Json attachments(std::string_view note_path) const {
    const std::size_t slash = note_path.rfind('/');
    const std::string_view folder =
        slash == std::string_view::npos ? std::string_view() : note_path.substr(0, slash);
    tenon::Json items = tenon::Json::array();
    for (const auto& each : store::attachments_of(*snapshot_, last_)) {
      const auto path = text::resolve_path(folder, each.target);
      items.push_back({{"id", each.id},
                       {"path", path && !path->empty() ? tenon::Json(*path) : tenon::Json()},
                       {"target", each.target},
                       {"name", each.name},
                       {"bytes", each.bytes},
                       {"content", each.blob}});
    }
    return items;
  }

  tenon::Host* host_;
  std::unique_ptr<const store::Reader> actor_;  // at one place, however often this is moved
  std::optional<std::string> notebook_;
  Slot slot_;
  std::unique_ptr<tenon::Read> snapshot_;
  std::optional<tenon::Rows> rows_;
  std::chrono::steady_clock::time_point opened_;
  std::map<std::string, std::string> paths_;  // id → path with a slash after it
  std::string loose_folder_;
  std::set<std::string> loose_;  // names taken in it
  std::string last_;
  std::int64_t expected_ = 0;
  std::int64_t count_ = 0;
  std::int64_t snapshots_ = 0;
  bool has_begun_ = false;
};

tenon::Response start(tenon::Host& host, const tenon::Request& request, const Counter& counter) {
  const auto notebook = request.query("notebook");
  if (notebook && !tenon::is_id(*notebook)) throw bad_query("notebook");
  store::Reader who = reader_of(request);
  if (notebook) {
    store::Scope scope(host.database(), who);
    static_cast<void>(store::need_notebook(scope, *notebook, store::Level::reader));
  }
  return tenon::Response::stream("application/x-ndjson",
                                 Export(host, std::move(who), notebook, counter))
      .header("Content-Disposition", "attachment; filename=\"notes.ndjson\"");
}

}  // namespace

void add_export_routes(tenon::Host& host) {
  const auto counter = std::make_shared<std::atomic<int>>(0);
  host.http().get(
      "/export", use, {.summary = "All notes that one may read, a line of JSON each"},
      [&host, counter](const tenon::Request& request) { return start(host, request, counter); });
}

}  // namespace notes::http

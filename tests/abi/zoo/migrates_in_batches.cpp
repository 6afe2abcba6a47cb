// No fault: changes its data by functions, in batches. ZOO_MIGRATION says how new the
// version is that it plays: the number of its newest migration. Each visits every item once, ten at
// a time; at one whose title is "poison" it fails. ZOO_PACE: milliseconds that a batch
// takes.
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>

#include <tenon/plugin.hpp>

namespace {

int number_of(std::string_view text) {
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

int variable(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? 0 : number_of(text);
}

class MigratesInBatches : public tenon::Plugin {
 public:
  explicit MigratesInBatches(tenon::Host& host) : Plugin(host) {
    for (int number = 1; number <= variable("ZOO_MIGRATION"); ++number)
      host.migrations().add(static_cast<std::uint32_t>(number), "visit", visit);
  }

 private:
  static bool visit(tenon::MigrationBatch& batch) {
    const int last = number_of(batch.checkpoint());
    int end = last;
    std::int64_t visited = 0;
    for (const tenon::Row& row : batch.query(
             "SELECT rowid, title FROM items WHERE rowid > ?1 ORDER BY rowid LIMIT 10", last)) {
      if (row.get<std::string>(1) == "poison")
        throw tenon::Error(422, "migrates-in-batches.poison", "There is poison.");
      end = row.get<int>(0);
      ++visited;
    }
    if (visited == 0) return false;
    batch.exec("UPDATE items SET visits = visits + 1 WHERE rowid > ?1 AND rowid <= ?2", last, end);
    std::this_thread::sleep_for(std::chrono::milliseconds(variable("ZOO_PACE")));
    batch.save_checkpoint(std::to_string(end));
    batch.progress(batch.done() + visited,
                   batch.query("SELECT count(*) FROM items").begin()->get<std::int64_t>(0));
    return true;
  }
};

}  // namespace

TENON_PLUGIN(MigratesInBatches)

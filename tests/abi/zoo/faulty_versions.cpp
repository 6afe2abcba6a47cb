// Good in most versions, bad in some: what it does is in its number, into which tests write
// another one. Its data has been through as many migrations that are functions as its first two
// digits say (1.0: none, 2.3: thirteen). The third digit:
//   0     nothing bad
//   1, 2  aborts while its library is opened; in its constructor
//   4, 5  its newest migration takes many slow batches; aborts in the middle
//   6     exits with code 0 in start
//   7     throws where it is stopped
//   8, 9  fails in its constructor; in start, after a change of its data
// 8.x never ends to migrate. 9.x never ends to start, and deletes rows all the while. A request to
// "/crash" makes any running version abort.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

#include <tenon/plugin.hpp>

namespace {

// Read at run time: the compiler must not use the value that it knows.
std::string version() {
  static const volatile char text[] = TENON_PLUGIN_VERSION;
  std::string copy;
  for (const volatile char* at = text; *at != '\0'; ++at)
    copy += *at;
  return copy;
}

char behavior() {
  return version().back();
}

bool begins_with(char digit) {
  return version().front() == digit;
}

class Library {
 public:
  Library() {
    if (behavior() == '1') std::abort();
  }
};
const Library library;

void pause(int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

class FaultyVersions : public tenon::Plugin {
 public:
  explicit FaultyVersions(tenon::Host& host) : Plugin(host) {
    if (behavior() == '2') std::abort();
    if (behavior() == '8')
      throw tenon::Error(500, "faulty-versions.refuses", "It refuses to be made.");
    const std::string text = version();
    const int newest = (text[0] - '1') * 10 + (text[2] - '0');
    for (int number = 1; number <= newest; ++number)
      host.migrations().add(static_cast<std::uint32_t>(number), "count", migration(number, newest));
    host.http().get("/version", tenon::access::everyone,
                    [](const tenon::Request&) { return tenon::Response::text(version()); });
    // Returns the version that wrote it.
    host.http().post("/keep", tenon::access::everyone, [this](const tenon::Request& request) {
      database().exec("INSERT INTO kept(id, version) VALUES(?1, ?2)",
                      request.json().at("id").get<std::string>(), version());
      return tenon::Response::text(version());
    });
    host.http().post("/crash", tenon::access::everyone,
                     [](const tenon::Request&) -> tenon::Response { std::abort(); });
  }

  void start() override {
    if (behavior() == '6') std::exit(0);
    while (begins_with('9'))
      delete_rows();
    if (behavior() != '9') return;
    database().exec("DELETE FROM kept");
    throw tenon::Error(500, "faulty-versions.fails", "It fails after a change.");
  }

  void stop() override {
    if (behavior() == '7')
      throw tenon::Error(500, "faulty-versions.stays", "It does not want to stop.");
  }

 private:
  // For as long as it may.
  void delete_rows() {
    pause(100);
    try {
      database().exec("DELETE FROM kept");
    } catch (const tenon::Error& error) {
      if (!is_refused_) log().warning("it may write no more: " + std::string(error.what()));
      is_refused_ = true;
    }
  }

  // Each counts every row once, in one batch or in many.
  static std::function<bool(tenon::MigrationBatch&)> migration(int number, int newest) {
    const bool is_newest = number == newest;
    if (is_newest && begins_with('8')) {
      return [](tenon::MigrationBatch&) {
        pause(50);
        return true;
      };
    }
    const bool is_slow = is_newest && (behavior() == '4' || behavior() == '5');
    return [is_slow](tenon::MigrationBatch& batch) {
      const int steps = is_slow ? 20 : 1;
      const int step = batch.checkpoint().empty() ? 0 : std::stoi(std::string(batch.checkpoint()));
      if (step == steps) return false;
      if (is_slow) pause(100);
      if (step == steps / 2 && behavior() == '5') std::abort();
      batch.exec("UPDATE kept SET migrations = migrations + 1 WHERE rowid % ?1 = ?2", steps, step);
      batch.save_checkpoint(std::to_string(step + 1));
      batch.progress(step + 1, steps);
      return true;
    };
  }

  bool is_refused_ = false;
};

}  // namespace

TENON_PLUGIN(FaultyVersions)

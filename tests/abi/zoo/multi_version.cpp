// No fault, in many versions: tests write another one into the same library. Its behaviour
// depends on the version: one whose last number is 9 changes its data in start and then fails; one
// whose last number is 8 fails in its constructor; one whose last number is 7 changes its data in
// start and is not well; one whose last number is 6 fails at half of its work. The others are not
// well when a request says so. Those of 4 name their items by a function, one at a time.
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <mutex>
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

class MultiVersion : public tenon::Plugin {
 public:
  explicit MultiVersion(tenon::Host& host) : Plugin(host) {
    if (version().ends_with(".8"))
      throw tenon::Error(500, "multi-version.refuses", "It refuses to be made.");
    if (version().starts_with("4.")) host.migrations().add(1, "names", names);
    host.http().get("/version", tenon::access::everyone,
                    [](const tenon::Request&) { return tenon::Response::text(version()); });
    // Public paths lead to the first two only.
    host.http().get("/go/{rest...}", tenon::access::everyone, [](const tenon::Request& request) {
      return tenon::Response::text(std::string(request.param("rest")));
    });
    host.http().post("/go/form", tenon::access::everyone, [](const tenon::Request& request) {
      return tenon::Response::text(std::string(request.body()));
    });
    host.http().put("/go/form", tenon::access::everyone,
                    [](const tenon::Request&) { return tenon::Response::text(version()); });
    host.http().get("/go/members", tenon::access::signed_in,
                    [](const tenon::Request&) { return tenon::Response::text(version()); });
    // In flight for a while, and writes at its end.
    host.http().post("/slow", tenon::access::everyone, [this](const tenon::Request&) {
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      note();
      return tenon::Response::text(version());
    });
    // Makes the file BEGUN, waits for the file END, at most a minute, and writes then.
    host.http().post("/slower", tenon::access::everyone, [this](const tenon::Request& request) {
      const std::string before = std::to_string(count());
      std::ofstream(request.query("begun", "")).flush();
      const std::string end = request.query("end", "");
      for (int look = 0; look < 6'000 && !std::filesystem::exists(end); ++look)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      note();
      return tenon::Response::text(before);
    });
    host.http().post("/ill", tenon::access::everyone, [this](const tenon::Request& request) {
      const std::lock_guard lock(mutex_);
      ill_ = request.query("why", "");
      return tenon::Response::text(version());
    });
    // Reads, and writes nothing.
    host.http().get("/work", tenon::access::everyone, [this](const tenon::Request&) {
      if (version().ends_with(".6") && ++works_ % 2 == 0)
        throw tenon::Error(500, "multi-version.breaks", "It breaks.");
      return tenon::Response::text(std::to_string(count()));
    });
    host.http().get("/away", tenon::access::everyone, [](const tenon::Request&) -> tenon::Response {
      throw tenon::Error(503, "multi-version.away", "Not now.");
    });
    // A statement of its own, which the typed tables of the host know nothing of.
    host.http().post("/sql", tenon::access::everyone, [this](const tenon::Request& request) {
      database().exec(request.query("statement", ""));
      return tenon::Response::text(version());
    });
    host.http().post("/quick", tenon::access::everyone, [this](const tenon::Request&) {
      note();
      return tenon::Response::text(version());
    });
  }

  void start() override {
    if (!version().ends_with(".9") && !version().ends_with(".7")) return;
    database().exec("DELETE FROM slow");
    if (version().ends_with(".9"))
      throw tenon::Error(500, "multi-version.fails", "It fails after a change.");
  }

  void health() override {
    if (version().ends_with(".7")) {
      throw tenon::Error(500, "multi-version.ill",
                         "It kept " + std::to_string(count()) + " notes and has no water.");
    }
    const std::lock_guard lock(mutex_);
    if (!ill_.empty()) throw tenon::Error(500, "multi-version.ill", ill_);
  }

 private:
  std::mutex mutex_;
  std::string ill_;
  std::atomic<int> works_{0};

  static bool names(tenon::MigrationBatch& batch) {
    const auto left =
        batch.query("SELECT count(*) FROM items WHERE name IS NULL").begin()->get<std::int64_t>(0);
    if (left == 0) return false;
    batch.exec(
        "UPDATE items SET name = title WHERE id = (SELECT id FROM items WHERE name IS NULL ORDER "
        "BY "
        "id LIMIT 1)");
    std::this_thread::sleep_for(std::chrono::milliseconds(25));
    batch.progress(batch.done() + 1, batch.done() + left);
    return true;
  }

  std::int64_t count() {
    return database().query("SELECT count(*) FROM slow").begin()->get<std::int64_t>(0);
  }
  void note() {
    database().exec("INSERT INTO slow(id, version) VALUES(?1, ?2)", tenon::new_id(), version());
  }
};

}  // namespace

TENON_PLUGIN(MultiVersion)

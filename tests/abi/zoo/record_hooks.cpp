// No fault: callbacks and records as a plugin should use them, for the tests of both; and, for
// notes with certain titles, callbacks as no plugin should have them.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <tenon/plugin.hpp>

namespace {

using tenon::Actor;
using tenon::Json;
using tenon::RecordChange;
using tenon::RecordOperation;
using tenon::RecordPage;
using tenon::RecordWrite;
using tenon::Request;
using tenon::Response;

std::string name_of(RecordOperation operation) {
  switch (operation) {
    case RecordOperation::create:
      return "create";
    case RecordOperation::update:
      return "update";
    case RecordOperation::remove:
      return "remove";
    case RecordOperation::gap:
      return "gap";
  }
  return "?";
}

class RecordHooks : public tenon::Plugin {
 public:
  explicit RecordHooks(tenon::Host& host) : Plugin(host) {
    tenon::Records& all = host.records();
    all.before_write("notes",
                     RecordOperation::create | RecordOperation::update | RecordOperation::remove,
                     [this](const RecordWrite& write) { look_at(write); });
    all.before_write("handles", RecordOperation::create | RecordOperation::update,
                     [](const RecordWrite& write) {
                       const Json change = write.change();
                       if (change.value("title", "") == "blank") return;
                       if (change.value("clicks", 0) > 5)
                         write.refuse("clicks", "many", "That is a lot.");
                       if (write.operation() == RecordOperation::create && !change.contains("slug"))
                         write.set({{"slug", "of " + change["title"].get<std::string>()}});
                       if (change.value("title", "") == "adds")
                         write.set({{"clicks", {{"increment", 1}}}});
                     });
    all.after_write("notes", [this](const std::vector<RecordChange>& changes) {
      const std::lock_guard lock(mutex_);
      if (must_fail_) throw std::runtime_error("not now");
      largest_ = std::max(largest_, changes.size());
      for (const RecordChange& change : changes)
        changes_.push_back({{"act", name_of(change.operation)}, {"id", change.id}});
    });
    all.extend("notes", [this](const RecordPage& page) {
      ++pages_;
      if (must_fail_) throw std::runtime_error("nothing to add");
      for (std::uint32_t i = 0; i < page.size(); ++i) {
        const Json note = page.record(i);
        if (note.contains("title"))
          page.add(i,
                   {{"letters", note["title"].get<std::string>().size()}, {"reader", page.user()}});
      }
    });

    using tenon::access::signed_in;
    tenon::Http& http = host.http();
    const auto whole = tenon::RouteOptions{.body = tenon::Body::whole};
    http.get("/hooks", signed_in, [this](const Request&) {
      const std::lock_guard lock(mutex_);
      return Response::json({{"changes", changes_},
                             {"pages", pages_.load()},
                             {"asked", asked_.load()},
                             {"largest", largest_}});
    });
    http.post("/come-back", tenon::access::everyone,
              [this](const Request&) { must_come_back_ = true; });
    http.post("/fail/{how}", signed_in, [this](const Request& request) {
      const std::lock_guard lock(mutex_);
      must_fail_ = request.param("how") == "yes";
      return Response::text("ok");
    });
    http.get("/find", signed_in, [this](const Request& request) {
      return Response::json_text(records().list_text(
          database(), Actor(request),
          {.table = "notes", .filter = "title = ?", .sort = "-created", .is_counted = true},
          request.query("title", "")));
    });
    http.get("/one/{id}", signed_in, [this](const Request& request) {
      const Actor who = request.query("as", "") == "plugin" ? Actor::system() : Actor(request);
      return Response::json_text(records().get_text(database(), who, "notes", request.param("id")));
    });
    http.post("/by-route", signed_in, whole, [this](const Request& request) {
      return Response::json_text(
          records().insert_text(database(), Actor(request), "notes", request.body()), 201);
    });
    http.post("/as/{user}", signed_in, whole, [this](const Request& request) {
      const std::string_view user = request.param("user");
      const Actor who = user == "plugin"      ? Actor::system()
                        : user == "anonymous" ? Actor::anonymous()
                        : user == "freely"    ? Actor(request).without_rules()
                                              : Actor::user(user);
      return Response::json_text(records().insert_text(database(), who, "notes", request.body()),
                                 201);
    });
    http.post("/queued", signed_in, whole, [this](const Request& request) {
      return database().write(
          request.defer(),
          [this, who = Actor(request), body = std::string(request.body())](tenon::Transaction& db) {
            db.exec("INSERT INTO drafts (id, text) VALUES (?, 'queued')", tenon::new_id());
            return Response::json_text(records().insert_text(db, who, "notes", body), 201);
          });
    });
    http.post("/swallowed", signed_in, whole, [this](const Request& request) {
      return database().write(
          request.defer(), [this, who = Actor(request)](tenon::Transaction& db) {
            db.exec("INSERT INTO drafts (id, text) VALUES (?, 'swallowed')", tenon::new_id());
            try {
              records().insert(db, who, "notes", {{"title", 7}});
            } catch (const tenon::Error&) {
            }
            return Response::text("as if nothing were");
          });
    });
    http.get("/drafts", signed_in, [this](const Request&) {
      return Response::json_text(database().json_rows("SELECT text FROM drafts ORDER BY rowid"));
    });
    http.patch("/notes-by-rule/{id}", signed_in, whole, [this](const Request& request) {
      return Response::json_text(records().update_text(database(), Actor(request), "notes",
                                                       request.param("id"), request.body(),
                                                       request.header("if-match").value_or("")));
    });
    http.del("/notes-by-rule/{id}", signed_in, [this](const Request& request) {
      records().remove(database(), Actor(request), "notes", request.param("id"));
      return Response::empty();
    });
  }

 private:
  tenon::Records& records() { return host().records(); }
  tenon::Database& database() { return host().database(); }

  void look_at(const RecordWrite& write) {
    ++asked_;
    if (write.operation() == RecordOperation::remove) {
      if (write.before()["title"] == "locked")
        throw tenon::Error(409, "record-hooks.locked", "This note is locked.");
      note(write, "gone " + std::string(write.id()));
      return;
    }
    const Json change = write.change();
    const std::string title = change.value("title", "");
    if (title == "teapot") throw tenon::Error(418, "record-hooks.teapot", "No notes on tea.");
    if (title == "bad") write.refuse("title", "bad", "This title is bad.");
    if (title == "fields")
      throw tenon::Error(422, "record-hooks.fields", "So not.",
                         {{"owner", "bad", "Not that one."}});
    if (title == "throws") throw std::runtime_error("the secret inside");
    if (title == "number") throw 17;
    if (title == "sleeps") std::this_thread::sleep_for(std::chrono::milliseconds(1'300));
    if (title == "hangs") {
      while (!must_come_back_)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      // Its write was undone long ago.
      write.set({{"title", "too late"}});
      write.db().exec("DELETE FROM drafts");
    }
    if (title == "wrong") write.set({{"nope", 1}});
    if (title == "rolls back") write.db().rollback();
    if (title == "waits") database().exec("DELETE FROM drafts");
    if (title == "again")
      records().insert(write.db(), write.actor(), "notes",
                       {{"title", "child"}, {"owner", write.user()}});
    if (title == "swallows") {
      try {
        records().insert(write.db(), Actor::system(), "journal", Json::object());
      } catch (const tenon::Error&) {
      }
      return;
    }
    note(write, name_of(write.operation()) + " " + title);
    write.set({{"stamp", "by " + std::string(write.user())},
               {"secret", write.is_without_rules() ? "plugin" : "rules"}});
    if (title == "  spaces") write.set({{"title", "spaces"}});
  }

  void note(const RecordWrite& write, const std::string& what) {
    records().insert(write.db(), Actor::system(), "journal", {{"what", what}});
  }

  std::mutex mutex_;
  std::vector<Json> changes_;
  std::size_t largest_ = 0;
  bool must_fail_ = false;
  std::atomic<bool> must_come_back_{false};
  std::atomic<int> pages_{0};
  std::atomic<int> asked_{0};
};

}  // namespace

TENON_PLUGIN(RecordHooks)

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <tenon/plugin.hpp>

#include "http/body.hpp"
#include "http/page.hpp"
#include "http/routes.hpp"
#include "http/shapes.hpp"
#include "limits.hpp"
#include "store/problems.hpp"
#include "store/shares.hpp"

namespace notes::http {
namespace {

/// "user:…" as {"kind","id"}, "all" as {"kind":"everyone"}.
tenon::Json subject_json(const std::string& subject) {
  const std::size_t colon = subject.find(':');
  if (colon == std::string::npos) return {{"kind", "everyone"}, {"id", nullptr}};
  return {{"kind", subject.substr(0, colon)}, {"id", subject.substr(colon + 1)}};
}

tenon::Json share_json(const std::string& subject, const std::string& level) {
  tenon::Json json = subject_json(subject);
  json["level"] = level;
  return json;
}

std::optional<std::string> read_subject(const tenon::Json& json) {
  const auto kind = json.find("kind");
  const auto id = json.find("id");
  const bool has_id = id != json.end() && !id->is_null();
  if (kind == json.end() || !kind->is_string()) return std::nullopt;
  if (*kind == "everyone")
    return has_id ? std::nullopt : std::optional(std::string(store::everyone));
  if (!has_id || !id->is_string() || !tenon::is_id(id->get<std::string>())) return std::nullopt;
  if (*kind == "user") return store::user_subject(id->get<std::string>());
  if (*kind == "group") return store::group_subject(id->get<std::string>());
  return std::nullopt;
}

std::vector<store::Share> read_shares(const tenon::Request& request) {
  Body body(request, {"shares"});
  body.require("shares");
  const tenon::Json& list = body.raw("shares");
  std::vector<store::Share> shares;
  if (body.has("shares") && !list.is_array())
    body.wrong("shares", "wrong_type", "This must be a list.");
  if (list.is_array() && list.size() > max_shares)
    body.wrong("shares", "too_many",
               "It is shared with at most " + std::to_string(max_shares) +
                   " users and groups. Make a group of them.");
  std::set<std::string> seen;
  for (std::size_t i = 0; list.is_array() && i < list.size() && i < max_shares; ++i) {
    const tenon::Json& each = list[i];
    const auto subject = each.is_object() && each.size() <= 3 ? read_subject(each) : std::nullopt;
    const tenon::Json level = each.is_object() ? each.value("level", tenon::Json()) : tenon::Json();
    if (!subject || (level != "reader" && level != "writer")) {
      body.wrong("shares." + std::to_string(i), "wrong_value",
                 "A share is a user, a group or everyone, and whether as reader or writer.");
    } else if (!seen.insert(*subject).second) {
      body.wrong("shares." + std::to_string(i), "duplicate", "They are in this list twice.");
    } else {
      shares.push_back({*subject, level.get<std::string>()});
    }
  }
  body.done();
  return shares;
}

/// A shared note or notebook, and its owner.
struct Thing {
  store::Shared what;
  std::string id;
  std::optional<std::string> owner;
  store::Location around;  ///< the notebook whose shares hold for it too
};

Thing need_thing(store::Scope& scope, store::Shared what, const std::string& id) {
  if (what == store::Shared::note) {
    const store::NoteRow note = store::need_readable(scope, id);
    return {what, id, note.author, note.notebook};
  }
  const store::Notebook notebook = store::need_notebook(scope, id, store::Level::reader);
  return {what, id, notebook.owner, notebook.parent};
}

struct View {
  Thing thing;
  std::vector<store::Share> shares;
  std::vector<store::InheritedShare> inherited;
};

View view_of(store::Scope& scope, store::Shared what, const std::string& id) {
  Thing thing = need_thing(scope, what, id);
  auto shares = store::shares_of(scope.db(), what, id);
  auto inherited = store::inherited_shares(scope.db(), thing.around);
  return {std::move(thing), std::move(shares), std::move(inherited)};
}

tenon::Json view_json(const View& view, const store::Reader& who, People& people) {
  tenon::Json json = {{"owner", view.thing.owner ? people.json(*view.thing.owner) : tenon::Json()},
                      {"mine", view.thing.owner == who.user},
                      {"shares", tenon::Json::array()},
                      {"inherited", tenon::Json::array()}};
  for (const auto& share : view.shares)
    json["shares"].push_back(share_json(share.subject, share.level));
  std::set<std::string> owners;
  for (const auto& each : view.inherited) {
    const tenon::Json notebook = {{"id", each.notebook}, {"name", each.name}};
    const bool is_other = each.owner && each.owner != view.thing.owner;
    if (is_other && owners.insert(*each.owner).second) {
      // The owner of a notebook writes in what others put there.
      tenon::Json owner = share_json(store::user_subject(*each.owner), "writer");
      owner["notebook"] = notebook;
      json["inherited"].push_back(std::move(owner));
    }
    if (each.subject.empty()) continue;
    tenon::Json share = share_json(each.subject, each.level);
    share["notebook"] = notebook;
    json["inherited"].push_back(std::move(share));
  }
  return json;
}

tenon::Response get_shares(tenon::Host& host, const tenon::Request& request, store::Shared what) {
  const std::string id = path_id(request);
  const store::Reader who = reader_of(request);
  const View view = host.database().read([&](tenon::Read& db) {
    store::Scope scope(db, who);
    return view_of(scope, what, id);
  });
  People people(host.identity());
  return tenon::Response::json(view_json(view, who, people));
}

tenon::Response put(tenon::Host& host, const tenon::Request& request, store::Shared what) {
  const std::string id = path_id(request);
  const auto shares = read_shares(request);
  const store::Reader who = reader_of(request);
  const View view = host.database().transaction([&](tenon::Transaction& db) {
    store::Scope scope(db, who);
    if (need_thing(scope, what, id).owner != who.user) {
      throw tenon::Error(403, "notes.not_owner",
                         what == store::Shared::note ? "Only who made a note shares it."
                                                     : "Only its owner shares a notebook.");
    }
    store::set_shares(db, what, id, shares, who.user);
    return view_of(scope, what, id);
  });
  People people(host.identity());
  return tenon::Response::json(view_json(view, who, people));
}

}  // namespace

void add_share_routes(tenon::Host& host) {
  auto& http = host.http();
  const auto add = [&](const char* path, store::Shared what, const char* read, const char* write) {
    http.get(path, use, {.summary = read}, [&host, what](const tenon::Request& request) {
      return get_shares(host, request, what);
    });
    http.put(path, use, {.summary = write},
             [&host, what](const tenon::Request& request) { return put(host, request, what); });
  };
  add("/notes/{id}/shares", store::Shared::note, "Who a note is shared with",
      "Shares a note with exactly these");
  add("/notebooks/{id}/shares", store::Shared::notebook, "Who a notebook is shared with",
      "Shares a notebook with exactly these");
}

}  // namespace notes::http

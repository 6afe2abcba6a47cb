#include "identity/sessions/sessions.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/error.hpp"
#include "base/ids.hpp"
#include "data/database.hpp"
#include "events/bus.hpp"
#include "identity/dialect.hpp"
#include "identity/sessions/session_events.hpp"
#include "identity/sessions/session_table.hpp"
#include "identity/users/users.hpp"

namespace tenon::identity {

namespace {

constexpr std::size_t max_agent_bytes = 200;
constexpr std::size_t max_address_bytes = 64;
constexpr std::int64_t store_use_after_ms = 60'000;

// Printable ASCII only: it comes from outside and goes to a screen.
std::string printable(std::string_view text, std::size_t max) {
  std::string result;
  for (const char c : text.substr(0, max))
    result += c >= 0x20 && c < 0x7F ? c : '?';
  return result;
}

// Selects the columns of a user u that principal_of() reads, in this order. Ids have no spaces.
std::string select_principal(const data::Database& database) {
  return "SELECT u.id, u.login, u.name, u.role, coalesce(" +
         std::string(room_sql(database.dialect()).group_ids) + ", '')";
}

std::vector<std::string> sorted_ids(std::string_view text) {
  std::vector<std::string> ids;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    ids.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

Principal principal_of(const data::Rows& rows) {
  return {.user_id = std::string(rows.text(0)),
          .login = std::string(rows.text(1)),
          .name = std::string(rows.text(2)),
          .role = parse_role(rows.text(3)).value_or(Role::member),
          .session_id = {},
          .groups = sorted_ids(rows.text(4))};
}

PrincipalPtr in_session(Principal principal, const Session& session) {
  principal.session_id = session.id;
  return std::make_shared<const Principal>(std::move(principal));
}

}  // namespace

class Sessions::Implementation {
 public:
  Implementation(data::Database& database, events::Bus& bus, Clock clock, const Options& options)
      : database_(database),
        bus_(bus),
        clock_(std::move(clock)),
        options_(options),
        select_principal_(select_principal(database)),
        table_(options.idle) {
    load();
  }

  Issued issue(const User& user, std::string_view address, std::string_view user_agent) {
    const std::int64_t now = clock_();
    Issued issued{base::random_token(), nullptr, now + options_.absolute.count()};
    LiveSession live{.session = {.id = base::new_id(),
                                 .user_id = user.id,
                                 .created_ms = now,
                                 .last_seen_ms = now,
                                 .expires_ms = issued.expires_ms,
                                 .address = printable(address, max_address_bytes),
                                 .user_agent = printable(user_agent, max_agent_bytes),
                                 .generation = user.generation},
                     .principal = nullptr,
                     .stored_use_ms = now};
    const TokenDigest digest = digest_of(issued.token);
    std::vector<Session> ended;
    {
      // Nothing may come between the row and the entry in the table: code that ends all sessions of
      // the user must find both or none.
      const std::lock_guard lock(change_);
      live.principal = database_.write([&](data::Transaction& transaction) {
        return insert(transaction, live.session, user, digest);
      });
      issued.principal = live.principal;
      table_.insert(digest, std::move(live));
      ended = drop_oldest(user.id);
    }
    publish(ended, SessionEnd::signed_out);
    return issued;
  }

  PrincipalPtr find(std::string_view token) noexcept {
    if (token.size() != token_length) return nullptr;
    return table_.use(remembered_digest_of(token), clock_());
  }

  std::vector<Session> of_user(std::string_view user_id) const {
    return table_.of_user(user_id, clock_());
  }

  bool end(std::string_view user_id, std::string_view session_id, SessionEnd reason) {
    const std::vector<Session> ended = take_out([&](const Session& session) {
      return session.id == session_id && session.user_id == user_id;
    });
    publish(ended, reason);
    const auto deleted = database_.exec(
        "DELETE FROM identity_sessions WHERE id = ?1 AND user_id = ?2", {session_id, user_id});
    return deleted.changes > 0 || !ended.empty();
  }

  void end_before(std::string_view user_id, std::int64_t generation, SessionEnd reason,
                  std::string_view except_session) {
    table_.set_generation(user_id, except_session, generation);
    // First the table and the open tabs, then the rows: those are void by their generation even
    // where deleting fails.
    publish(take_out([&](const Session& session) {
              return session.user_id == user_id && session.generation < generation;
            }),
            reason);
    database_.exec("DELETE FROM identity_sessions WHERE user_id = ?1 AND generation < ?2",
                   {user_id, generation});
  }

  void refresh(const std::vector<std::string>& user_ids) {
    const std::string select = select_principal_ + " FROM identity_users u WHERE u.id = ?1";
    const std::lock_guard lock(change_);
    const std::unordered_set<std::string> present = table_.users();
    std::unordered_map<std::string, Principal> principals;
    for (const std::string& id : user_ids) {
      if (!present.contains(id)) continue;
      data::Rows rows = database_.query(select, {id});
      if (rows.next()) principals.emplace(id, principal_of(rows));
    }
    if (principals.empty()) return;
    table_.replace_principals([&](const Session& session) {
      const auto found = principals.find(session.user_id);
      return found == principals.end() ? nullptr : in_session(found->second, session);
    });
    for (const auto& [id, principal] : principals)
      bus_.publish(std::string(rights_topic), rights_event(id));
  }

  void sweep() {
    const std::int64_t now = clock_();
    const std::vector<Session> expired =
        take_out([&](const Session& session) { return has_expired(session, now, options_.idle); });
    publish(expired, SessionEnd::signed_out);
    const std::vector<Session> used = table_.take_unstored_uses(store_use_after_ms);
    if (expired.empty() && used.empty()) return;
    database_.write([&](data::Transaction& transaction) {
      for (const Session& session : expired)
        transaction.exec("DELETE FROM identity_sessions WHERE id = ?1", {session.id});
      for (const Session& session : used) {
        transaction.exec("UPDATE identity_sessions SET last_seen_ms = ?2 WHERE id = ?1",
                         {session.id, session.last_seen_ms});
      }
    });
  }

  std::size_t size() const noexcept { return table_.size(); }

 private:
  static constexpr std::size_t token_length = 43;  // 32 bytes in base64url

  void load() {
    const std::int64_t now = clock_();
    data::Rows rows = database_.query(
        select_principal_ +
            ", s.id, s.token_hash, s.created_ms, s.last_seen_ms, s.expires_ms, s.address, "
            "s.user_agent, s.generation "
            "FROM identity_sessions s JOIN identity_users u ON u.id = s.user_id "
            "WHERE u.disabled = 0 AND s.generation = u.generation AND s.expires_ms > ?1",
        {now});
    while (rows.next()) {
      const auto digest = digest_from_hex(rows.text(6));
      if (!digest) continue;
      LiveSession live;
      live.session = {.id = std::string(rows.text(5)),
                      .user_id = std::string(rows.text(0)),
                      .created_ms = rows.integer(7),
                      .last_seen_ms = rows.integer(8),
                      .expires_ms = rows.integer(9),
                      .address = std::string(rows.text(10)),
                      .user_agent = std::string(rows.text(11)),
                      .generation = rows.integer(12)};
      if (has_expired(live.session, now, options_.idle)) continue;
      live.stored_use_ms = live.session.last_seen_ms;
      live.principal = in_session(principal_of(rows), live.session);
      table_.insert(*digest, std::move(live));
    }
  }

  PrincipalPtr insert(data::Transaction& transaction, const Session& session, const User& user,
                      const TokenDigest& digest) const {
    PrincipalPtr principal;
    {
      data::Rows rows = transaction.query(
          select_principal_ +
              " FROM identity_users u WHERE u.id = ?1 AND u.disabled = 0 AND u.generation = ?2",
          {user.id, user.generation});
      if (!rows.next()) {
        throw base::Error(401, "identity.wrong_credentials",
                          "Login and password do not fit together.");
      }
      principal = in_session(principal_of(rows), session);
    }
    transaction.exec(
        "INSERT INTO identity_sessions(id, user_id, generation, token_hash, created_ms, "
        "last_seen_ms, expires_ms, address, user_agent) "
        "VALUES(?1, ?2, ?3, ?4, ?5, ?5, ?6, ?7, ?8)",
        {session.id, user.id, user.generation, hex_of(digest), session.created_ms,
         session.expires_ms, session.address, session.user_agent});
    return principal;
  }

  std::vector<Session> take_out(const std::function<bool(const Session&)>& fits) {
    const std::lock_guard lock(change_);
    return table_.remove(fits);
  }

  std::vector<Session> drop_oldest(std::string_view user_id) {
    std::vector<Session> all = table_.of_user(user_id, 0);
    if (all.size() <= options_.per_user) return {};
    const auto first_kept = all.end() - static_cast<std::ptrdiff_t>(options_.per_user);
    std::nth_element(all.begin(), first_kept, all.end(), [](const Session& a, const Session& b) {
      return std::pair(a.last_seen_ms, a.created_ms) < std::pair(b.last_seen_ms, b.created_ms);
    });
    all.erase(first_kept, all.end());
    for (const Session& session : all) {
      table_.remove([&](const Session& other) { return other.id == session.id; });
      database_.exec("DELETE FROM identity_sessions WHERE id = ?1", {session.id});
    }
    return all;
  }

  void publish(const std::vector<Session>& ended, SessionEnd reason) {
    for (const Session& session : ended)
      bus_.publish(std::string(session_topic), session_event(session.id, session.user_id, reason));
  }

  data::Database& database_;
  events::Bus& bus_;
  const Clock clock_;
  const Options options_;
  const std::string select_principal_;
  SessionTable table_;
  std::mutex change_;  // held while a change goes to the database and to the table; readers of the
                       // table never wait for it
};

Sessions::Sessions(data::Database& database, events::Bus& bus, Clock clock, Options options)
    : implementation_(std::make_unique<Implementation>(database, bus, std::move(clock), options)) {}
Sessions::~Sessions() = default;

Sessions::Issued Sessions::issue(const User& user, std::string_view address,
                                 std::string_view user_agent) {
  return implementation_->issue(user, address, user_agent);
}
PrincipalPtr Sessions::find(std::string_view token) noexcept {
  return implementation_->find(token);
}
std::vector<Session> Sessions::of_user(std::string_view user_id) const {
  return implementation_->of_user(user_id);
}
bool Sessions::end(std::string_view user_id, std::string_view session_id, SessionEnd reason) {
  return implementation_->end(user_id, session_id, reason);
}
void Sessions::end_before(std::string_view user_id, std::int64_t generation, SessionEnd reason,
                          std::string_view except_session) {
  implementation_->end_before(user_id, generation, reason, except_session);
}
void Sessions::refresh(const std::vector<std::string>& user_ids) {
  implementation_->refresh(user_ids);
}
void Sessions::sweep() {
  implementation_->sweep();
}
std::size_t Sessions::size() const noexcept {
  return implementation_->size();
}

}  // namespace tenon::identity

#include "identity/sessions/session_table.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tenon::identity {

bool has_expired(const Session& session, std::int64_t now_ms,
                 std::chrono::milliseconds idle) noexcept {
  return now_ms >= session.expires_ms || now_ms - session.last_seen_ms >= idle.count();
}

std::size_t SessionTable::DigestHash::operator()(const TokenDigest& digest) const noexcept {
  std::size_t hash = 0;
  std::memcpy(&hash, digest.data(), sizeof hash);
  return hash;
}

void SessionTable::insert(const TokenDigest& digest, LiveSession session) {
  Shard& shard = shard_of(digest);
  const std::lock_guard lock(shard.mutex);
  shard.sessions.insert_or_assign(digest, std::move(session));
}

PrincipalPtr SessionTable::use(const TokenDigest& digest, std::int64_t now_ms) noexcept {
  Shard& shard = shard_of(digest);
  const std::lock_guard lock(shard.mutex);
  const auto found = shard.sessions.find(digest);
  if (found == shard.sessions.end() || has_expired(found->second.session, now_ms, idle_))
    return nullptr;
  std::int64_t& last_seen = found->second.session.last_seen_ms;
  last_seen = std::max(last_seen, now_ms);
  return found->second.principal;
}

std::vector<Session> SessionTable::of_user(std::string_view user_id, std::int64_t now_ms) const {
  std::vector<Session> all;
  for (const Shard& shard : shards_) {
    const std::lock_guard lock(shard.mutex);
    for (const auto& [digest, live] : shard.sessions) {
      if (live.session.user_id == user_id && !has_expired(live.session, now_ms, idle_))
        all.push_back(live.session);
    }
  }
  std::sort(all.begin(), all.end(), [](const Session& a, const Session& b) { return a.id < b.id; });
  return all;
}

std::vector<Session> SessionTable::remove(const std::function<bool(const Session&)>& fits) {
  std::vector<Session> removed;
  for (Shard& shard : shards_) {
    const std::lock_guard lock(shard.mutex);
    for (auto entry = shard.sessions.begin(); entry != shard.sessions.end();) {
      if (!fits(entry->second.session)) {
        ++entry;
        continue;
      }
      removed.push_back(std::move(entry->second.session));
      entry = shard.sessions.erase(entry);
    }
  }
  return removed;
}

void SessionTable::replace_principals(const std::function<PrincipalPtr(const Session&)>& make) {
  for (Shard& shard : shards_) {
    const std::lock_guard lock(shard.mutex);
    for (auto& [digest, live] : shard.sessions) {
      if (PrincipalPtr made = make(live.session)) live.principal = std::move(made);
    }
  }
}

std::unordered_set<std::string> SessionTable::users() const {
  std::unordered_set<std::string> all;
  for (const Shard& shard : shards_) {
    const std::lock_guard lock(shard.mutex);
    for (const auto& [digest, live] : shard.sessions)
      all.insert(live.session.user_id);
  }
  return all;
}

void SessionTable::set_generation(std::string_view user_id, std::string_view session_id,
                                  std::int64_t generation) {
  for (Shard& shard : shards_) {
    const std::lock_guard lock(shard.mutex);
    for (auto& [digest, live] : shard.sessions) {
      if (live.session.id == session_id && live.session.user_id == user_id)
        live.session.generation = generation;
    }
  }
}

std::vector<Session> SessionTable::take_unstored_uses(std::int64_t after_ms) {
  std::vector<Session> used;
  for (Shard& shard : shards_) {
    const std::lock_guard lock(shard.mutex);
    for (auto& [digest, live] : shard.sessions) {
      if (live.session.last_seen_ms - live.stored_use_ms < after_ms) continue;
      live.stored_use_ms = live.session.last_seen_ms;
      used.push_back(live.session);
    }
  }
  return used;
}

std::size_t SessionTable::size() const noexcept {
  std::size_t count = 0;
  for (const Shard& shard : shards_) {
    const std::lock_guard lock(shard.mutex);
    count += shard.sessions.size();
  }
  return count;
}

}  // namespace tenon::identity

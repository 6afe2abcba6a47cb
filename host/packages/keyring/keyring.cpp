#include "packages/keyring/keyring.hpp"

#include <algorithm>
#include <utility>

#include "base/clock.hpp"
#include "base/utf8.hpp"
#include "data/database.hpp"
#include "packages/reason.hpp"

namespace tenon::plugins {

namespace {

constexpr std::string_view select_keys =
    "SELECT number, key, name, state, reason, changed_ms, changed_by FROM plugins_keys";

KnownKey read_key(const data::Rows& rows) {
  KnownKey key;
  key.number = rows.text(0);
  key.key = rows.text(1);
  key.name = rows.text(2);
  key.trust = rows.text(3) == "trusted" ? Trust::trusted : Trust::revoked;
  key.reason = rows.text(4);
  key.changed_ms = rows.integer(5);
  key.changed_by = rows.text(6);
  return key;
}

std::optional<KnownKey> find_in(data::Transaction& transaction, std::string_view number) {
  data::Rows rows = transaction.query(std::string(select_keys) + " WHERE number = ?1", {number});
  if (!rows.next()) return std::nullopt;
  return read_key(rows);
}

void put(data::Transaction& transaction, const KnownKey& key) {
  transaction.exec(
      "INSERT INTO plugins_keys(number, key, name, state, reason, changed_ms, changed_by) "
      "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT(number) DO UPDATE SET key = excluded.key, "
      "name = excluded.name, state = excluded.state, reason = excluded.reason, changed_ms = "
      "excluded.changed_ms, changed_by = excluded.changed_by",
      {key.number, key.key, key.name, to_string(key.trust), key.reason, key.changed_ms,
       key.changed_by});
}

void require_key_slot(data::Transaction& transaction) {
  data::Rows rows = transaction.query("SELECT count(*) FROM plugins_keys");
  if (rows.next() && rows.integer(0) >= std::int64_t{Keyring::max_keys}) {
    throw Refusal({"plugins.signature_too_many_keys",
                   "The keyring holds " + std::to_string(Keyring::max_keys) +
                       " keys already. Forget some that are not needed.",
                   {},
                   {}});
  }
}

void require_text(const std::string& text, std::size_t max_bytes, const char* what) {
  const bool is_plain =
      base::is_valid_utf8(text) &&
      std::none_of(text.begin(), text.end(), [](unsigned char c) { return c < 32; });
  if (is_plain && text.size() <= max_bytes) return;
  throw Refusal(
      {"plugins.signature_key_invalid",
       std::string(what) + " is one line of at most " + std::to_string(max_bytes) + " bytes.",
       {},
       {}},
      422);
}

Refusal revoked(const KnownKey& key, const std::string& file) {
  return Refusal(
      {"plugins.signer_revoked",
       "The key " + key.number + " was revoked" +
           (key.reason.empty() ? std::string() : " (" + key.reason + ")") +
           ": nothing that it signed is installed or loaded. Get a package that another key "
           "signed, or remove the plugin.",
       file,
       {}});
}

// The second line of what minisign writes: the key itself.
std::string key_line(const PublicKey& key) {
  const std::string text = key.to_text();
  const std::size_t begin = text.find('\n') + 1;
  return text.substr(begin, text.find('\n', begin) - begin);
}

}  // namespace

std::string_view to_string(Trust trust) noexcept {
  switch (trust) {
    case Trust::trusted:
      return "trusted";
    case Trust::revoked:
      return "revoked";
    case Trust::unknown:
      break;
  }
  return "unknown";
}

bool is_key_number(std::string_view text) noexcept {
  return text.size() == 16 && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'F');
         });
}

PublicKey read_given_key(std::string_view text, const std::string& file) {
  while (text.ends_with('\n') || text.ends_with('\r') || text.ends_with(' '))
    text.remove_suffix(1);
  if (text.find('\n') != std::string_view::npos)
    return read_public_key(std::string(text) + "\n", file);
  return read_public_key("untrusted comment: \n" + std::string(text) + "\n", file);
}

std::vector<KnownKey> Keyring::list() const {
  std::vector<KnownKey> keys;
  data::Rows rows = database_.query(std::string(select_keys) + " ORDER BY number");
  while (rows.next())
    keys.push_back(read_key(rows));
  return keys;
}

std::optional<KnownKey> Keyring::find(std::string_view number) const {
  data::Rows rows = database_.query(std::string(select_keys) + " WHERE number = ?1", {number});
  if (!rows.next()) return std::nullopt;
  return read_key(rows);
}

KnownKey Keyring::trust(const PublicKey& key, const std::string& name, const std::string& actor) {
  require_text(name, max_name, "The name of a key");
  KnownKey known;
  known.number = key.id();
  known.key = key_line(key);
  known.name = name;
  known.trust = Trust::trusted;
  known.changed_ms = base::unix_milliseconds();
  known.changed_by = actor;
  database_.write([&](data::Transaction& transaction) {
    const auto there = find_in(transaction, known.number);
    if (there && there->trust == Trust::revoked) {
      throw Refusal({"plugins.signature_key_revoked",
                     "The key " + known.number + " was revoked and cannot be trusted again.",
                     {},
                     {}});
    }
    if (there && there->key != known.key) {
      throw Refusal({"plugins.signature_key_conflict",
                     "Another key in the keyring has the number " + known.number +
                         ". Forget that one first if this is the right one.",
                     {},
                     {}});
    }
    if (!there) require_key_slot(transaction);
    put(transaction, known);
  });
  return known;
}

KnownKey Keyring::revoke(const std::string& number, const std::string& reason,
                         const std::string& actor) {
  if (!is_key_number(number)) {
    throw Refusal({"plugins.signature_key_invalid",
                   "\"" + number + "\" is no number of a key: 16 digits of 0-9 and A-F.",
                   {},
                   {}},
                  422);
  }
  require_text(reason, max_reason, "A reason");
  KnownKey known;
  database_.write([&](data::Transaction& transaction) {
    auto there = find_in(transaction, number);
    if (!there) require_key_slot(transaction);
    known = there ? *std::move(there) : KnownKey{number, {}, {}, Trust::revoked, {}, 0, {}};
    known.trust = Trust::revoked;
    known.reason = reason;
    known.changed_ms = base::unix_milliseconds();
    known.changed_by = actor;
    put(transaction, known);
  });
  if (on_revoke_) on_revoke_();
  return known;
}

void Keyring::forget(const std::string& number) {
  database_.write([&](data::Transaction& transaction) {
    const auto there = find_in(transaction, number);
    if (!there) {
      throw Refusal({"plugins.signature_key_unknown",
                     "There is no key \"" + number + "\" in the keyring.",
                     {},
                     {}},
                    404);
    }
    if (there->trust == Trust::revoked) {
      throw Refusal({"plugins.signature_key_revoked",
                     "The key " + number + " was revoked; that is not forgotten.",
                     {},
                     {}});
    }
    transaction.exec("DELETE FROM plugins_keys WHERE number = ?1", {number});
  });
}

PublicKey Keyring::require_trusted(const std::string& number, const std::string& file) const {
  const auto key = find(number);
  if (key && key->trust == Trust::revoked) throw revoked(*key, file);
  if (!key) {
    throw Refusal(
        {"plugins.signer_unknown",
         "It is signed by the key " + number +
             ", which is not trusted here. Get the public key from its author, compare it "
             "with what they publish, and trust it: tenon plugin trust KEY.pub.",
         file,
         {}});
  }
  return read_given_key(key->key, "the keyring");
}

void Keyring::require_not_revoked(const std::string& number, const std::string& file) const {
  const auto key = find(number);
  if (key && key->trust == Trust::revoked) throw revoked(*key, file);
}

std::string Keyring::pin(std::string_view plugin) const {
  data::Rows rows = database_.query("SELECT number FROM plugins_pins WHERE plugin = ?1", {plugin});
  return rows.next() ? std::string(rows.text(0)) : std::string();
}

}  // namespace tenon::plugins

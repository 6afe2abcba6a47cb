#include "packages/installed/public_path_store.hpp"

#include "data/database.hpp"
#include "packages/manifest/public_path.hpp"
#include "packages/reason.hpp"

namespace tenon::plugins {

namespace {

constexpr std::string_view select_grants =
    "SELECT path, plugin, granted_ms, granted_by FROM plugins_public_paths ORDER BY path";

std::vector<PublicPathGrant> read_grants(data::Rows rows) {
  std::vector<PublicPathGrant> grants;
  while (rows.next())
    grants.push_back({std::string(rows.text(0)), std::string(rows.text(1)), rows.integer(2),
                      std::string(rows.text(3))});
  return grants;
}

}  // namespace

const PublicPathGrant* find_conflict(const std::vector<PublicPathGrant>& grants,
                                     std::string_view plugin, std::string_view path) noexcept {
  for (const PublicPathGrant& one : grants) {
    if (one.plugin != plugin && do_overlap(one.path, path)) return &one;
  }
  return nullptr;
}

std::string describe_conflict(const PublicPathGrant& taken, std::string_view path) {
  return "The path \"" + std::string(path) + "\" is not free: the plugin \"" + taken.plugin +
         "\" is served at \"" + taken.path +
         "\". Stop that first, on its page in the console or with \"tenon plugin revoke-path " +
         taken.plugin + " " + taken.path + "\".";
}

void grant_public_path(data::Transaction& transaction, const PublicPathGrant& grant) {
  const std::vector<PublicPathGrant> grants =
      read_grants(transaction.query(std::string(select_grants)));
  if (const PublicPathGrant* taken = find_conflict(grants, grant.plugin, grant.path))
    throw Refusal({"plugins.public_path_taken", describe_conflict(*taken, grant.path), {}, {}});
  transaction.exec(
      "INSERT INTO plugins_public_paths(path, plugin, granted_ms, granted_by) "
      "VALUES(?1, ?2, ?3, ?4) ON CONFLICT(path) DO NOTHING",
      {grant.path, grant.plugin, grant.granted_ms, grant.granted_by});
}

std::vector<PublicPathGrant> PublicPathStore::all() const {
  return read_grants(database_.query(std::string(select_grants)));
}

void PublicPathStore::grant(const PublicPathGrant& grant) {
  database_.write([&](data::Transaction& transaction) { grant_public_path(transaction, grant); });
}

bool PublicPathStore::revoke(std::string_view plugin, std::string_view path) {
  return database_
             .exec("DELETE FROM plugins_public_paths WHERE plugin = ?1 AND path = ?2",
                   {plugin, path})
             .changes != 0;
}

}  // namespace tenon::plugins

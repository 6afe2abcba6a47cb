#include "records/service/orphaned_claims.hpp"

#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "blobs/blobs.hpp"
#include "data/database.hpp"
#include "records/query/dialect.hpp"

namespace tenon::records {

namespace {

constexpr std::string_view import_prefix = "records/import/";
constexpr std::size_t id_size = 36;
constexpr std::size_t max_claims_per_page = 1'000;

bool has_table(data::Database& database, std::string_view name) {
  return database.query(dialect::find_table(database.dialect()), {name}).next();
}

std::size_t count(data::Database& database, const char* sql) {
  data::Rows rows = database.query(sql);
  rows.next();
  return static_cast<std::size_t>(rows.integer(0));
}

void collect(data::Database& database, const char* sql, std::unordered_set<std::string>& claims) {
  data::Rows rows = database.query(sql);
  while (rows.next())
    claims.emplace(rows.text(0));
}

}  // namespace

bool is_record_claim(std::string_view key) noexcept {
  return key.starts_with(claim_prefix) && key.size() == claim_prefix.size() + id_size;
}

bool is_import_claim(std::string_view key) noexcept {
  return key.starts_with(import_prefix) && key.size() == import_prefix.size() + id_size;
}

std::size_t release_orphaned_claims(blobs::Blobs& blobs, const std::string& plugin,
                                    data::Database& database) {
  const std::size_t claimed = blobs.count_claims(plugin, claim_prefix);
  if (claimed == 0) return 0;
  const bool has_files = has_table(database, "tenon_files");
  const bool has_imports = has_table(database, "tenon_imports");
  std::size_t known = 0;
  if (has_files) known += count(database, "SELECT count(*) FROM tenon_files");
  if (has_imports) known += count(database, "SELECT count(*) FROM tenon_imports");
  // A claim is made before the change and ended after it: where there are as many, none is left.
  if (claimed <= known) return 0;
  std::unordered_set<std::string> claims;
  if (has_files) collect(database, "SELECT claim FROM tenon_files", claims);
  if (has_imports) collect(database, "SELECT claim FROM tenon_imports", claims);
  std::vector<blobs::Blobs::Claim> left;
  blobs::Blobs::Claim last;
  for (;;) {
    std::vector<blobs::Blobs::Claim> some =
        blobs.claims(plugin, claim_prefix, last, max_claims_per_page);
    if (some.empty()) break;
    last = some.back();
    for (blobs::Blobs::Claim& claim : some) {
      const bool is_ours =
          (has_files && is_record_claim(claim.key)) || (has_imports && is_import_claim(claim.key));
      if (is_ours && !claims.contains(claim.key)) left.push_back(std::move(claim));
    }
  }
  const std::size_t released = left.size();
  blobs.release_later(plugin, std::move(left));
  return released;
}

}  // namespace tenon::records

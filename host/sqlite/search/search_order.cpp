#include "sqlite/search/search_order.hpp"

#include <new>
#include <string_view>

#include <sqlite3.h>

#include "sqlite/connection/sqlite_error.hpp"
#include "sqlite/search/fts5.hpp"
#include "sqlite/search/search_lengths.hpp"
#include "sqlite/search/search_rank.hpp"

namespace tenon::data::sqlite {

namespace {

struct Ranking {
  std::shared_ptr<SearchLengths> lengths;
  SearchRank::Rarity rarity;
};

std::string_view argument(sqlite3_value* value) noexcept {
  const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(value));
  if (text == nullptr) return {};
  return {text, static_cast<std::size_t>(sqlite3_value_bytes(value))};
}

void rank_record(const Fts5ExtensionApi* api, Fts5Context* search, sqlite3_context* context,
                 int count, sqlite3_value** values) noexcept {
  if (count != 2) {
    sqlite3_result_error(context, "a rank needs the index, the table and the weights", -1);
    return;
  }
  const auto& ranking = *static_cast<const Ranking*>(api->xUserData(search));
  try {
    auto* rank = static_cast<SearchRank*>(api->xGetAuxdata(search, 0));
    if (rank == nullptr) {
      auto made =
          std::make_unique<SearchRank>(ranking.lengths.get(), search_number(argument(values[0])),
                                       read_weights(argument(values[1])), ranking.rarity);
      rank = made.get();
      // FTS5 deletes it also where it fails.
      const int code = api->xSetAuxdata(search, made.release(),
                                        [](void* old) { delete static_cast<SearchRank*>(old); });
      if (code != SQLITE_OK) throw RankFailure{code};
    }
    sqlite3_result_double(context, rank->read(*api, search));
  } catch (const RankFailure& failure) {
    sqlite3_result_error_code(context, failure.code);
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(context);
  }
}

}  // namespace

void add_search_order(sqlite3* db, const std::shared_ptr<SearchLengths>& lengths) {
  fts5_api* fts5 = fts5_of(db);
  if (fts5 == nullptr) throw sqlite_error(db, SQLITE_ERROR);
  const auto add = [&](const char* name, SearchRank::Rarity rarity) {
    auto ranking = std::make_unique<Ranking>(Ranking{lengths, rarity});
    const int code =
        fts5->xCreateFunction(fts5, name, static_cast<void*>(ranking.get()), &rank_record,
                              [](void* old) { delete static_cast<Ranking*>(old); });
    if (code != SQLITE_OK) throw sqlite_error(db, code);
    static_cast<void>(ranking.release());
  };
  add("tenon_rank", SearchRank::Rarity::asked);
  add("tenon_order", SearchRank::Rarity::unknown);
}

}  // namespace tenon::data::sqlite

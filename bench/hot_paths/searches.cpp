#include <array>
#include <memory>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "data/migrate/migrate.hpp"
#include "exchange.hpp"
#include "path.hpp"
#include "records/model/model.hpp"
#include "records/service/records.hpp"
#include "rooms.hpp"

namespace tenon::bench {

namespace {

constexpr int stored_records = 10'000;
constexpr int each_found = 100;  // of so many records one is found
constexpr std::size_t shown = 20;

// The published table of part `data` (bench/plugin/tables.json).
constexpr const char* tables = R"json({"tables":[{"name":"todos","publish":true,"timestamps":true,
  "rules":{"read":"@user != null"},
  "fields":[{"name":"title","type":"text","required":true,"max":200,"searchable":true},
    {"name":"body","type":"text","required":true,"searchable":true},
    {"name":"status","type":"choice","choices":["open","doing","done"],"required":true},
    {"name":"priority","type":"integer","required":true},{"name":"assignee","type":"text"}],
  "indexes":[{"fields":["created"]},{"fields":["status","created"]}]}]})json";

std::string digits(int number, std::size_t size) {
  std::string text = std::to_string(number);
  return text.insert(0, size - text.size(), '0');
}

// Texts as those of bench/servers/rows.py.
class Words {
 public:
  std::string next(std::size_t letters) {
    static constexpr std::array words = {
        "plan",  "draft", "review", "order", "call", "write", "check", "send",  "move", "read",
        "close", "open",  "ask",    "test",  "ship", "note",  "list",  "count", "sign", "mail"};
    std::string text;
    while (text.size() < letters) {
      state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
      text.append(text.empty() ? "" : " ").append(words[(state_ >> 33U) % words.size()]);
    }
    return text.substr(0, letters);
  }

 private:
  std::uint64_t state_ = 1;
};

class Search final : public LoneExchange {
 public:
  explicit Search(identity::PrincipalPtr principal) {
    request_.method = http::Method::get;
    request_.path = "/api/bench/todos";
    request_.query = "q=printer&limit=20";
    context_.principal = std::move(principal);
  }

  void pass_to(http::Handler& handler) {
    draft_.clear();
    matches_ = 0;
    handler.handle(http::ExchangePtr(this));
    if (matches_ != shown) throw std::runtime_error("the records are not found");
  }

  bool respond(http::Response&& response) override {
    static constexpr std::string_view match = R"({"text":"printer","match":true})";
    const std::string_view body = std::get<std::string>(response.body);
    for (std::size_t at = 0; (at = body.find(match, at)) != body.npos; at += match.size())
      ++matches_;
    return true;
  }

 private:
  std::size_t matches_ = 0;
};

struct SearchSetup {
  SearchSetup() {
    data::DatabaseOptions options;
    options.path = rooms.folder.path() + "/bench.db";
    database = std::make_shared<data::Database>(options);
    const data::Declaration declared{"bench", "1.0.0", data::schema::parse_tables(tables), {}};
    data::apply(*database, declared);
    fill();
    records::Records all(
        "bench", std::make_shared<const records::Model>(declared.tables, data::Dialect::sqlite),
        database, rooms.identity.permissions(), rooms.identity.users(), rooms.blobs, rooms.uploads,
        rooms.jobs);
    routes = all.routes();
  }
  void fill() {
    // In pieces: under valgrind one transaction would take longer than any may.
    constexpr int piece = 500;
    for (int first = 0; first < stored_records; first += piece) {
      database->write([&](data::Transaction& transaction) {
        for (int i = first; i < first + piece; ++i)
          put(transaction, i);
      });
    }
  }
  void put(data::Transaction& transaction, int number) {
    const std::string text = words.next(200);
    const std::string title =
        number % each_found == 7 ? "The printer of " + std::to_string(number) : text.substr(0, 40);
    const std::string time = "2026-01-01T" + digits(number / 3600, 2) + ":" +
                             digits(number / 60 % 60, 2) + ":" + digits(number % 60, 2) + ".000Z";
    transaction.exec(
        "INSERT INTO todos (id, title, body, status, priority, assignee, created, updated) "
        "VALUES (?1, ?2, ?3, 'open', ?4, 'anna', ?5, ?5)",
        {"0192f3c1-7a00-7000-8000-" + digits(number, 12), title, text, number % 10, time});
  }

  Words words;
  Rooms rooms;
  std::shared_ptr<data::Database> database;
  std::vector<records::OwnedRoute> routes;
};

Maker search() {
  const auto setup = std::make_shared<SearchSetup>();
  return [setup] {
    const auto exchange =
        std::make_shared<Search>(std::make_shared<const identity::Principal>(identity::Principal{
            .user_id = "anna", .login = "anna", .name = "Anna", .session_id = "session"}));
    // The first route is that of the list.
    return [setup, exchange] { exchange->pass_to(*setup->routes.front().handler); };
  };
}

}  // namespace

std::vector<Path> search_paths() {
  return {
      {"search", "the best 20 of 100 found among 10,000 records, with highlights", 40, search},
  };
}

}  // namespace tenon::bench

#include "records/service/record_service.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/json_slice.hpp"
#include "data/database.hpp"
#include "records/api/change_text.hpp"
#include "records/tests/records_fixture.hpp"

namespace tenon::records::test {
namespace {

// Returns the error of a call: "403 records.forbidden".
template <typename Call>
std::string refusal(Call&& call) {
  try {
    call();
    return "none";
  } catch (const base::Error& error) {
    std::string text = std::to_string(error.status()) + " " + error.code();
    for (const base::FieldError& field : error.fields())
      text.append(" ").append(field.field).append(":").append(field.code);
    return text;
  }
}

std::string value_in(const std::string& json, const std::string& name) {
  std::string found = "none";
  base::JsonSlice(json).each_member([&](const std::string& key, const base::JsonSlice& value) {
    if (key == name) found = value.text();
  });
  return found;
}

std::string id_in(const std::string& json) {
  return value_in(json, "id").substr(1, 36);
}

class RecordServiceTest : public RecordsFixture {
 protected:
  void SetUp() override {
    for (const char* table : {"pages", "cards"})
      run("DELETE FROM " + std::string(table));
  }
  static std::size_t cards() {
    auto rows = database().query("SELECT count(*) FROM cards");
    rows.next();
    return static_cast<std::size_t>(rows.integer(0));
  }
  static std::int64_t claims() {
    core().write([](data::Transaction&) {});
    auto rows = core().query("SELECT count(*) FROM blobs_claims");
    rows.next();
    return rows.integer(0);
  }
  static expression::Context as(const std::string& login) {
    return {user_id(login), {}, 1'700'000'000'000, {}};
  }
  static std::string card(const std::string& title, const std::string& more = {}) {
    return R"({"title":")" + title + R"(","owner":")" + user_id("ada") + "\"" + more + "}";
  }

  const std::unique_ptr<const RecordService> service = make_service();
  const expression::Context ada = as("ada");
  const expression::Context bob = as("bob");
  const expression::Context anonymous{std::nullopt, {}, 1'700'000'000'000, {}};
};

TENON_ON_BOTH_ENGINES(RecordServiceTest);

TEST_P(RecordServiceTest, RulesAreThoseOfRequests) {
  const std::string made = service->create({"cards", true, ada}, card("one"), nullptr);
  EXPECT_EQ(value_in(made, "created_by"), "\"" + user_id("ada") + "\"");
  const std::string id = id_in(made);
  EXPECT_EQ(send("GET", "/cards/" + id, "ada").body, made);
  data::JsonText text;
  EXPECT_EQ(refusal([&] {
              service->show({"cards", true, bob}, id, nullptr, text);
            }),
            "404 records.not_found");
  EXPECT_EQ(refusal([&] {
              service->create({"cards", true, bob}, card("for ada"), nullptr);
            }),
            "403 records.forbidden");
  EXPECT_EQ(refusal([&] {
              service->update({"cards", true, bob}, id, R"({"title":"x"})", {}, nullptr);
            }),
            "404 records.not_found");
  EXPECT_EQ(refusal([&] {
              service->create({"boards", true, anonymous}, R"({"name":"x"})", nullptr);
            }),
            "401 identity.signed_out");
  EXPECT_EQ(refusal([&] {
              service->create({"cards", true, ada}, "{}", nullptr);
            }),
            "422 records.validation title:required");
  EXPECT_EQ(refusal([&] {
              service->create({"nope", true, ada}, "{}", nullptr);
            }),
            "404 records.unknown_table");
  EXPECT_EQ(cards(), 1U);
}

TEST_P(RecordServiceTest, WithoutRulesEveryDeclaredFieldIsOpen) {
  const std::string made = service->create(
      {"cards", false, anonymous},
      R"({"title":"own","secret":"s","fixed":"f","note":"n","state":"done"})", nullptr);
  EXPECT_EQ(value_in(made, "secret"), "\"s\"");
  EXPECT_EQ(value_in(made, "fixed"), "\"f\"");
  EXPECT_EQ(value_in(made, "created_by"), "null");
  // Its rule would not let a done one go.
  service->remove({"cards", false, anonymous}, id_in(made), {}, nullptr);
  EXPECT_EQ(cards(), 0U);
  EXPECT_EQ(refusal([&] {
              service->create({"cards", false, anonymous}, R"({"title":"x","shout":"X"})", nullptr);
            }),
            "422 records.validation shout:read_only");
  // No request reaches it over HTTP.
  EXPECT_NE(service->create({"vaults", false, anonymous}, R"({"word":"w"})", nullptr), "");
  EXPECT_EQ(refusal([&] {
              service->create({"vaults", true, ada}, R"({"word":"w"})", nullptr);
            }),
            "403 records.forbidden");
}

TEST_P(RecordServiceTest, MayBeginWithASearchOfAllTables) {
  run("DELETE FROM papers");
  run("DELETE FROM whispers");
  run("INSERT INTO papers (id, title) VALUES ('" + id_of(1) + "', 'Gull'), ('" + id_of(2) +
      "', 'Gull and tern')");
  run("INSERT INTO whispers (id, word) VALUES ('" + id_of(3) + "', 'gull')");
  const std::vector<std::string_view> all;
  const auto found = [&](TableSearch search, bool enforce_rules) {
    search.typed = "gull";
    data::JsonText text;
    service->search(search, enforce_rules, ada, nullptr, text);
    std::string tables = value_in(std::string(text.view()), "more");
    base::JsonSlice(value_in(std::string(text.view()), "items"))
        .each_element([&](const base::JsonSlice& hit) {
          tables += " " + value_in(std::string(hit.text()), "table");
        });
    return tables;
  };
  const std::string own = found({all}, false);
  EXPECT_EQ(own.substr(0, 6), "false ");
  EXPECT_NE(own.find("whispers"), std::string::npos) << own;
  EXPECT_EQ(found({all}, true), R"(false "papers" "papers")");
  EXPECT_EQ(found({.tables = all, .limit = 1}, true), R"(true "papers")");
  EXPECT_EQ(refusal([&] { found({.tables = all, .time = std::chrono::milliseconds(0)}, false); }),
            "503 records.search_time");
}

TEST_P(RecordServiceTest, ListsLikeARequestWithBoundValues) {
  for (const char* title : {"a", "it's", "c"})
    service->create({"cards", true, ada}, card(title, R"(,"count":3)"), nullptr);
  const std::vector<data::Cell> values{"it's", 3};
  data::JsonText text;
  service->list({"cards", true, ada},
                {.filter = "title = ? and count = ?", .values = values, .fields = "title"}, nullptr,
                text);
  EXPECT_NE(text.view().find(R"("title":"it's"}],"next":null)"), std::string_view::npos)
      << text.view();
  text.clear();
  service->list({"cards", true, bob}, {.limit = 2, .is_counted = true}, nullptr, text);
  EXPECT_EQ(text.view(), R"({"items":[],"next":null,"total":0})");
  text.clear();
  service->list({"cards", false, bob}, {.sort = "-title", .fields = "title", .limit = 2}, nullptr,
                text);
  EXPECT_NE(text.view().find("it's"), std::string_view::npos);
  EXPECT_EQ(text.view().find("\"a\""), std::string_view::npos);
  const auto refused = [&](const Listing& listing) {
    data::JsonText none;
    return refusal([&] { service->list({"cards", true, bob}, listing, nullptr, none); });
  };
  EXPECT_EQ(refused({.limit = 201}), "400 records.bad_query limit:invalid");
  EXPECT_EQ(refused({.filter = "note = 'x'"}), "400 records.field_not_allowed filter:not_allowed");
  EXPECT_EQ(refused({.filter = "note ="}).substr(0, 3), "422");
}

TEST_P(RecordServiceTest, SeveralWritesAreOneTransaction) {
  std::vector<blobs::Blobs::Claim> ended;
  const auto two = [&](const std::string& second) {
    return database().write([&](data::Transaction& transaction) {
      const TransactionScope within{transaction, ended};
      const std::string first = service->create({"cards", true, ada}, card("first"), &within);
      data::JsonText text;
      service->show({"cards", true, ada}, id_in(first), &transaction, text);
      EXPECT_EQ(text.view(), first);
      return service->create({"cards", true, ada}, second, &within);
    });
  };
  two(card("second"));
  EXPECT_EQ(cards(), 2U);
  EXPECT_EQ(refusal([&] { two("{}"); }), "422 records.validation title:required");
  EXPECT_EQ(cards(), 2U);
}

TEST_P(RecordServiceTest, ClaimsFilesInASeparateTransaction) {
  const std::int64_t before = claims();
  const std::string file = R"(,"file":{"upload":")" + upload("ada", "hello") + "\"}";
  const std::string made = service->create({"cards", true, ada}, card("file", file), nullptr);
  EXPECT_NE(value_in(made, "file").find("\"size\":5"), std::string::npos) << made;
  EXPECT_EQ(claims(), before + 1);
  const std::string of_bob = R"(,"file":{"upload":")" + upload("bob", "his") + "\"}";
  EXPECT_EQ(refusal([&] {
              service->create({"cards", true, ada}, card("x", of_bob), nullptr);
            }),
            "422 records.validation file:upload");
  std::vector<blobs::Blobs::Claim> ended;
  const std::string other = R"(,"file":{"upload":")" + upload("ada", "other") + "\"}";
  EXPECT_EQ(refusal([&] {
              database().write([&](data::Transaction& transaction) {
                const TransactionScope within{transaction, ended};
                service->create({"cards", true, ada}, card("within", other), &within);
              });
            }),
            "422 records.validation file:read_only");
  database().write([&](data::Transaction& transaction) {
    const TransactionScope within{transaction, ended};
    service->remove({"cards", true, ada}, id_in(made), {}, &within);
  });
  EXPECT_EQ(ended.size(), 1U);  // the caller that ends the transaction releases it
  EXPECT_EQ(claims(), before + 1);
}

TEST_P(RecordServiceTest, AChangeIsConditional) {
  const std::string id = id_in(service->create({"cards", true, ada}, card("one"), nullptr));
  const auto change = [&](const char* tag) {
    return refusal([&] {
      service->update({"cards", true, ada}, id, R"({"title":"two"})", tag, nullptr);
    });
  };
  EXPECT_EQ(change("\"1-x\""), "none");
  EXPECT_EQ(change("\"1-x\""), "412 records.conflict");
  EXPECT_EQ(refusal([&] {
              service->remove({"cards", true, ada}, id, "\"1-x\"", nullptr);
            }),
            "412 records.conflict");
}

TEST_P(RecordServiceTest, WritesAChangeAsItWasSent) {
  const TableModel& cards = *service->unrestricted("cards");
  const std::string sent =
      R"({"title":"a\"b","public":true,"count":7,"price":1.5,"due":"2026-11-22","more":{"a":[1]},)"
      R"("tags":["red","blue"],"labels":[")" +
      id_of(1) + R"("],"note":null,"photo":null,"files":[]})";
  const Body body = read_body(cards, base::JsonSlice(sent), Kind::update, Files::taken);
  ASSERT_TRUE(body.errors.empty());
  EXPECT_EQ(change_text(body), sent);
}

}  // namespace
}  // namespace tenon::records::test

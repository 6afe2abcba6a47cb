#include "data/search.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "base/json_slice.hpp"
#include "data/database.hpp"
#include "engines/tests/support.hpp"
#include "records/tests/records_fixture.hpp"

namespace tenon::records::test {
namespace {

class SearchRecords : public RecordsFixture {
 protected:
  void SetUp() override {
    run("DELETE FROM papers");
    run("DELETE FROM labels");
    add(1, "Whales of the sea", "They sing.");
    add(2, "Ships", "Whales were hunted by ships. A long tale.");
    add(3, "Caf\xC3\xA9 by the sea", "Coffee, cake & more.");
  }
  static void add(int number, const std::string& title, const std::string& body,
                  const std::string& more = "") {
    run("INSERT INTO papers (id, title, body" + std::string(more.empty() ? "" : ", remark") +
        ") VALUES ('" + id_of(number) + "', '" + title + "', '" + body + "'" +
        (more.empty() ? "" : ", '" + more + "'") + ")");
  }
  static std::string path(const std::string& words, const std::string& rest = "") {
    return "/papers?q=" + encoded(words) + rest;
  }
  static std::string found(const std::string& words, const std::string& rest = "",
                           const std::string& user = "ada") {
    const Reply reply = get(path(words, rest), user);
    return reply.status == 200 ? items(reply) : problem(reply);
  }
  static std::string highlight(const std::string& words, const std::string& rest = "") {
    const std::string body = get(path(words, rest), "ada").body;
    const auto begin = body.find("\"highlight\":");
    if (begin == std::string::npos) return body;
    return body.substr(begin + 12, body.find("}]}", begin) + 3 - begin - 12);
  }
  static std::string next_of(const Reply& reply) {
    const std::string next = member(reply, "next");
    return next.size() < 2 || next == "null" ? "" : next.substr(1, next.size() - 2);
  }
  static std::string all_pages(const std::string& words, const std::string& rest) {
    std::string all;
    std::string cursor;
    for (int page = 0; page < 100; ++page) {
      const Reply reply = get(path(words, rest + cursor), "ada");
      all += (all.empty() ? "" : " ") + items(reply);
      const std::string next = next_of(reply);
      if (next.empty()) return all;
      cursor = "&cursor=" + next;
    }
    return all + " and so on";
  }
};

TENON_ON_BOTH_ENGINES(SearchRecords);

TEST_P(SearchRecords, GroupsAreMadeOfWhatIsFound) {
  run("DELETE FROM papers");
  const auto add = [](int number, const std::string& title, const std::string& is_public,
                      int count) {
    run("INSERT INTO papers (id, title, public, owner, count) VALUES ('" + id_of(number) + "', '" +
        title + "', " + is_public + ", '" + user_id("bob") + "', " + std::to_string(count) + ")");
  };
  add(1, "ripe apples", "true", 1);
  add(2, "ripe plums", "true", 2);
  add(3, "apples again", "true", 4);
  add(4, "apples of bob", "false", 8);
  const std::string sums = "/papers?group=public&agg=count,sum(count)&q=";
  const std::string open = R"j({"public":true,"count":2,"sum(count)":5})j";
  EXPECT_EQ(member(get(sums + "apples", "ada"), "items"), "[" + open + "]")
      << "what is not hers to see is not counted";
  EXPECT_EQ(member(get(sums + "apples", "bob"), "items"),
            R"j([{"public":false,"count":1,"sum(count)":8},)j" + open + "]");
  EXPECT_EQ(member(get(sums + "apples&filter=" + encoded("count > 1 and public"), "bob"), "items"),
            R"j([{"public":true,"count":1,"sum(count)":4}])j");
  EXPECT_EQ(member(get(sums + "pears", "bob"), "items"), "[]");
  EXPECT_EQ(member(get("/papers?agg=count&q=-ripe", "bob"), "items"), R"([{"count":0}])");
  EXPECT_EQ(member(get("/papers?agg=count&q=", "bob"), "items"), R"([{"count":4}])")
      << "an empty one is no search";
  EXPECT_EQ(problem(get("/labels?agg=count&q=a", "bob")).substr(0, 21), "400 records.bad_query");
}

TEST_P(SearchRecords, WordsPhrasesBeginningsAndExclusions) {
  EXPECT_EQ(found("whales "), "01 02") << "a word of a title counts more";
  EXPECT_EQ(found("whal"), "01 02") << "the last word is a beginning";
  EXPECT_EQ(found("whal "), "");
  EXPECT_EQ(found("WHALES sing"), "01") << "all words, in any field";
  EXPECT_EQ(found("\"the sea\""), "01 03");
  EXPECT_EQ(found("\"sea the\""), "");
  EXPECT_EQ(found("whales -ships"), "01");
  EXPECT_EQ(found("sea -\"they sing\""), "03");
  EXPECT_EQ(found("cafe"), "03") << "without its accent";
  EXPECT_EQ(found("-whales"), "") << "nothing is looked for";
  EXPECT_EQ(found(""), "01 02 03") << "no search";
  EXPECT_EQ(member(get(path("sea", "&count=true&limit=1"), "ada"), "total"), "2");
}

TEST_P(SearchRecords, NothingTypedIsSyntax) {
  for (const char* words : {"sea AND", "NOT", "OR",   "NEAR(", "(sea",        "title : sea", "\"",
                            "\"\"",    "*",   "^",    "sea*",  "{title} : x", "a + b",       "-",
                            "- -",     "'",   "';--", "&",     "\\",          "!!! ???"}) {
    EXPECT_EQ(get(path(words), "ada").status, 200) << words;
  }
  EXPECT_EQ(found("sea & "), "01 03") << "what has no letters asks for nothing";
  EXPECT_EQ(found("\xE2\x98\x83 sea"), "01 03");
  EXPECT_EQ(found(std::string("sea\0cake", 8)), "03");
  EXPECT_EQ(found(std::string(600, 'a')), "400 records.bad_query q:invalid");
}

TEST_P(SearchRecords, RulesAndFiltersHold) {
  run("UPDATE papers SET public = 0, owner = '" + user_id("bob") + "' WHERE id = '" + id_of(1) +
      "'");
  EXPECT_EQ(found("whales"), "02");
  EXPECT_EQ(found("whales", "", "bob"), "01 02");
  EXPECT_EQ(member(get(path("whales", "&count=true"), "ada"), "total"), "1");
  EXPECT_EQ(found("whales", "&filter=" + encoded("title = 'Ships'"), "bob"), "02");
  EXPECT_EQ(found("whales", "&sort=title", "bob"), "02 01");
  EXPECT_EQ(problem(get(path("whales"))), "401 identity.signed_out");
}

TEST_P(SearchRecords, DoesNotSearchRestrictedFields) {
  run("UPDATE papers SET remark = 'xylophone', code = 'xylem', plan = 'xenon', owner = '" +
      user_id("ada") + "' WHERE id = '" + id_of(1) + "'");
  EXPECT_EQ(found("xylophone"), "") << "not even by the one who may see it: others may not";
  EXPECT_EQ(found("xylem", "", "root"), "") << "hidden";
  EXPECT_EQ(found("xenon"), "");
  EXPECT_EQ(found("xenon", "", "root"), "01") << "its rule lets them see it in every record";
  EXPECT_EQ(found("sea -xenon"), "03 01") << "nor is it excluded by";
  EXPECT_EQ(problem(get("/whispers?q=a", "ada")), "400 records.field_not_allowed q:not_allowed");
  EXPECT_EQ(problem(get("/labels?q=a", "ada")), "400 records.bad_query q:invalid");
}

TEST_P(SearchRecords, ShowsExcerpts) {
  EXPECT_EQ(highlight("tale"),
            R"({"body":[{"text":"Whales were hunted by ships. A long ","match":false},)"
            R"({"text":"tale","match":true},{"text":".","match":false}]})");
  EXPECT_EQ(highlight("ships hunted"),
            R"({"title":[{"text":"Ships","match":true}],"body":[{"text":"Whales were ","match":)"
            R"(false},{"text":"hunted","match":true},{"text":" by ","match":false},{"text":)"
            R"("ships","match":true},{"text":". A long tale.","match":false}]})");
  // Any content of a text stays text.
  add(4, R"(\u0001 "</b><mark>zebra\")", "\xEF\xB7\x90,zebra\xEF\xB7\x91\",\"match\":true}");
  const Reply reply = get(path("zebra"), "ada");
  ASSERT_EQ(items(reply), "04") << reply.body;
  EXPECT_NE(
      reply.body.find(
          R"("title":[{"text":"\\u0001 \"\u003c/b>\u003cmark>","match":false},{"text":"zebra",)"
          R"("match":true},{"text":"\\\"","match":false}])"),
      std::string::npos)
      << reply.body;
  EXPECT_EQ(get(path("ships hunted", "&fields=count"), "ada")
                .body.rfind("{\"items\":[{\"id\":\"" + id_of(2) + R"(","count":0,"highlight":)", 0),
            0U);
}

TEST_P(SearchRecords, LongTextsAreCut) {
  std::string body;
  for (int i = 0; i < 1000; ++i)
    body += "word" + std::to_string(i) + " ";
  add(5, "Long", body);
  const std::string location = highlight("word500");
  EXPECT_LT(location.size(), 700U);
  EXPECT_NE(location.find(R"({"text":"word500","match":true})"), std::string::npos) << location;
  EXPECT_EQ(location.find("word100"), std::string::npos) << location;
}

TEST_P(SearchRecords, ShowsNoMatchesAfter150000Characters) {
  const std::string title = "Heron";
  std::string body;
  for (int i = 0; i < 74'998; ++i)
    body += "\xC3\xA4 ";
  add(5, title, body + "it heron");
  EXPECT_EQ(highlight(title), R"({"title":[{"text":"Heron","match":true}]})");
  run("UPDATE papers SET body = substr(body, 5) WHERE title = 'Heron'");
  EXPECT_EQ(highlight(title).find(R"({"title":[{"text":"Heron","match":true}],"body":[)"), 0U);
}

TEST_P(SearchRecords, ShowsTheExcerptWithMostMatches) {
  std::string body;
  for (int i = 0; i < 100; ++i)
    body += i == 3 || i == 60 || i == 62 ? "Wh\xC3\xA4le, " : "w" + std::to_string(i) + " ";
  add(5, "Of a whale.", body);
  EXPECT_EQ(highlight("whale", "&filter=" + encoded("title = 'Of a whale.'")),
            R"({"title":[{"text":"Of a ","match":false},{"text":"whale","match":true},)"
            R"({"text":".","match":false}],"body":[{"text":"…w56 w57 w58 w59 ","match":false},)"
            "{\"text\":\"Wh\xC3\xA4le\",\"match\":true},"
            R"({"text":", w61 ","match":false},)"
            "{\"text\":\"Wh\xC3\xA4le\",\"match\":true},"
            R"({"text":", w63 w64 w65 w66 w67 w68 w69 w70 w71 w72 w73 w74 w75 w76 w77 w78 w79 w80 )"
            R"(w81 w82 w83 w84 w85 w86 w87…","match":false}]})");
}

TEST_P(SearchRecords, MatchesThatOverlapAreOne) {
  add(5, "Red", "a b c d e");
  EXPECT_EQ(highlight("\"b c\" \"c d\"", "&filter=" + encoded("title = 'Red'")),
            R"({"body":[{"text":"a ","match":false},{"text":"b c d","match":true},)"
            R"({"text":" e","match":false}]})");
}

TEST_P(SearchRecords, ExpansionGoesWithIt) {
  run("INSERT INTO labels (id, name) VALUES ('" + id_of(80) + "', 'blue')");
  run("UPDATE papers SET label = '" + id_of(80) + "' WHERE id = '" + id_of(1) + "'");
  const Reply reply = get(path("sing", "&fields=title&expand=label"), "ada");
  EXPECT_EQ(reply.body, "{\"items\":[{\"id\":\"" + id_of(1) +
                            R"(","title":"Whales of the sea","highlight":{"body":[{"text":"They )"
                            R"(","match":false},{"text":"sing","match":true},{"text":".","match")"
                            R"(:false}]},"expand":{"label":{"id":")" +
                            id_of(80) + R"(","name":"blue"}}}],"next":null})");
}

TEST_P(SearchRecords, PagesByRankHaveEachRecordOnce) {
  run("DELETE FROM papers");
  std::string expected;
  for (int i = 10; i < 40; ++i) {
    // Longer texts rank lower; each two are alike.
    std::string body = "needle";
    for (int j = 10; j < i / 2 * 2; ++j)
      body += " hay";
    add(i, "", body);
    expected += (expected.empty() ? "" : " ") + std::to_string(i);
  }
  for (const char* limit : {"&limit=1", "&limit=7", "&limit=30", "&limit=200"})
    EXPECT_EQ(all_pages("needle", limit), expected) << limit;
  EXPECT_EQ(all_pages("needle", "&limit=7&sort=count"), expected);
  EXPECT_EQ(all_pages("needle", "&limit=1&filter=" + encoded("title = 'x'")), "");
}

TEST_P(SearchRecords, ContinuesPagesAfterChanges) {
  run("DELETE FROM papers");
  for (int i = 10; i < 20; ++i)
    add(i, "", "needle" + std::string(static_cast<std::size_t>(i - 10) * 4, ' ') + "in the hay");
  const Reply first = get(path("needle", "&limit=3"), "ada");
  ASSERT_EQ(items(first), "10 11 12");
  const std::string rest = "&limit=3&cursor=" + next_of(first);
  // Every rank moves when others come.
  for (int i = 50; i < 60; ++i)
    add(i, "", "hay without it and more words than there were");
  EXPECT_EQ(found("needle", rest), "13 14 15");
  // The place where the page ended is gone, or not to be seen: as many are left out.
  run("UPDATE papers SET public = 0 WHERE id = '" + id_of(12) + "'");
  EXPECT_EQ(found("needle", rest), "14 15 16");
  run("DELETE FROM papers WHERE id = '" + id_of(12) + "'");
  EXPECT_EQ(found("needle", rest), "14 15 16");
  EXPECT_EQ(found("hay", rest), "400 records.bad_cursor") << "of another search";
  EXPECT_EQ(problem(get("/papers?limit=3&cursor=" + next_of(first), "ada")),
            "400 records.bad_cursor");
}

// A table without a rule.
class OpenSearch : public SearchRecords {
 protected:
  void SetUp() override {
    run("DELETE FROM posters");
    for (int i = 10; i < 40; ++i) {
      std::string body = i % 4 == 0 ? "needle needle" : "needle";
      for (int j = 0; j < i * 7 % 5; ++j)
        body += " hay";
      put(i, i % 3 == 0 ? "A needle" : "", body);
    }
  }
  void TearDown() override { run("DELETE FROM posters"); }
  static void put(int number, const std::string& title, const std::string& body,
                  const std::string& how = "INSERT") {
    run(how + " INTO posters (id, title, body) VALUES ('" + id_of(number) + "', '" + title +
        "', '" + body + "')");
  }
  static std::string page(const std::string& rest) {
    return items(get("/posters?q=needle" + rest, "ada"));
  }
  static std::string pages(const std::string& rest) {
    std::string all;
    std::string cursor;
    for (int number = 0; number < 100; ++number) {
      const Reply reply = get("/posters?q=needle" + rest + cursor, "ada");
      all += (all.empty() ? "" : " ") + items(reply);
      const std::string next = next_of(reply);
      if (next.empty()) return all;
      cursor = "&cursor=" + next;
    }
    return all + " and so on";
  }
};

TENON_ON_BOTH_ENGINES(OpenSearch);

TEST_P(OpenSearch, HasTheOrderOfAFilteredSearch) {
  const std::string all = "&filter=" + encoded("body != 'x'");
  const std::string expected = pages(all + "&limit=200");
  EXPECT_EQ(expected.size(), 30U * 3 - 1) << expected;
  for (const char* limit : {"&limit=1", "&limit=7", "&limit=30", "&limit=200"}) {
    EXPECT_EQ(pages(limit), expected) << limit;
    EXPECT_EQ(pages(all + limit), expected) << limit;
  }
  const auto highlight = [](const Reply& reply) {
    const auto begin = reply.body.find("\"highlight\":");
    return reply.body.substr(begin, reply.body.find("}]}", begin) - begin);
  };
  const Reply open = get("/posters?q=needle&limit=1", "ada");
  EXPECT_NE(open.body.find(R"({"text":"needle","match":true})"), std::string::npos) << open.body;
  EXPECT_EQ(highlight(open), highlight(get("/posters?q=needle&limit=1" + all, "ada")));
}

TEST_P(OpenSearch, ContinuesPagesAfterChanges) {
  const std::string all = page("&limit=200");
  const auto from = [&](std::size_t first, std::size_t count) {
    return all.substr(first * 3, count * 3 - 1);
  };
  const Reply first = get("/posters?q=needle&limit=4", "ada");
  ASSERT_EQ(items(first), from(0, 4));
  const std::string rest = "&limit=4&cursor=" + next_of(first);
  EXPECT_EQ(page(rest), from(4, 4));
  // The place where the page ended is gone: as many are left out.
  run("DELETE FROM posters WHERE id = '" + id_of(std::stoi(from(3, 1))) + "'");
  EXPECT_EQ(page(rest), from(5, 4));
}

TEST_P(OpenSearch, WhatIsReplacedLeavesNoGap) {
  if (GetParam() != data::Dialect::sqlite) GTEST_SKIP() << "INSERT OR REPLACE is SQLite's";
  const std::string all = page("&limit=200");
  // SQLite runs no trigger for the record that goes: its words stay in the index.
  put(std::stoi(all.substr(0, 2)), "", "hay", "INSERT OR REPLACE");
  EXPECT_EQ(page("&limit=4"), all.substr(3, 11));
  EXPECT_EQ(pages("&limit=4"), all.substr(3));
}

TEST_P(SearchRecords, TheIndexFollowsEveryChange) {
  const std::string id = id_of(1);
  EXPECT_EQ(send("PATCH", "/papers/" + id, "ada", R"({"title":"Giraffes","public":true})").status,
            200);
  EXPECT_EQ(found("giraffes"), "01");
  EXPECT_EQ(found("sing"), "01");
  EXPECT_EQ(found("\"whales of\""), "");
  EXPECT_EQ(
      send("POST", "/papers", "ada", "{\"id\":\"" + id_of(7) + "\",\"title\":\"Giraffes too\"}")
          .status,
      201);
  EXPECT_EQ(found("giraffes", "&sort=-title"), "07 01");
  EXPECT_EQ(send("DELETE", "/papers/" + id, "ada").status, 204);
  EXPECT_EQ(found("giraffes"), "07");
  run("UPDATE papers SET title = NULL WHERE id = '" + id_of(7) + "'");
  EXPECT_EQ(found("giraffes"), "");
}

// One record more than a search ranks. The oldest has the best rank. 4,096 records also have
// "tern", 10,000 the title "early", the last 4,000 none.
class ManyMatches : public OpenSearch {
 protected:
  static constexpr std::int64_t records = data::max_ranked_matches(data::Dialect::sqlite) + 1;

  // Fills the table once for all tests of an engine, in pieces: PostgreSQL has 5 s for a statement.
  void SetUp() override {
    constexpr std::int64_t piece = 200;
    for (std::int64_t first = stored() + 1; first <= records; first += piece)
      fill(first, std::min(first + piece - 1, records));
  }
  void TearDown() override {}

  static std::int64_t stored() {
    data::Rows rows = database().query("SELECT count(*) FROM posters");
    rows.next();
    return rows.integer(0);
  }
  static void fill(std::int64_t first, std::int64_t last) {
    const std::string from = std::to_string(first);
    const std::string to = std::to_string(last);
    const std::string numbers =
        GetParam() == data::Dialect::sqlite
            ? "WITH RECURSIVE n(i) AS (VALUES (" + from +
                  ") UNION ALL SELECT i + 1 FROM n WHERE i < " + to + ") "
            : "WITH n(i) AS (SELECT generate_series(" + from + ", " + to + ")) ";
    run(numbers + "INSERT INTO posters (id, title, body) SELECT " + id_sql("i") +
        ", CASE WHEN i = 1 THEN 'gull' WHEN i <= 10001 THEN 'early' WHEN i <= " +
        std::to_string(records - 4'000) +
        " THEN 'late' ELSE '' END, CASE WHEN i % 8 "
        "= 0 THEN 'gull tern' ELSE 'gull' END FROM n");
  }
  static Reply search(const std::string& words, const std::string& rest = "") {
    return get("/posters?limit=1&q=" + encoded(words) + rest, "ada");
  }
};

TENON_ON_BOTH_ENGINES(ManyMatches);

TEST_P(ManyMatches, RanksTheMostRecentOnes) {
  const std::string oldest = R"("title":"gull")";
  const Reply cut = search("gull ");
  EXPECT_EQ(member(cut, "ranked"), "\"recent\"");
  EXPECT_EQ(cut.body.find(oldest), std::string::npos);
  EXPECT_EQ(member(search("gul"), "ranked"), "\"recent\"") << "a prefix";
  EXPECT_EQ(member(search("tern "), "ranked"), "none");
  EXPECT_EQ(member(search("gull ", "&sort=title"), "ranked"), "none");
  // The filter is applied before the bound.
  const Reply whole = search("gull ", "&filter=" + encoded("title != 'early' and title != 'late'"));
  EXPECT_EQ(member(whole, "ranked"), "none");
  EXPECT_NE(whole.body.find(oldest), std::string::npos) << whole.body;
}

TEST_P(ManyMatches, CountsUpToTenThousand) {
  const auto total = [](const Reply& reply) {
    return member(reply, "total") + " " + member(reply, "total_is");
  };
  const std::string all = std::to_string(records) + " none";
  for (const char* path : {"/posters?limit=1", "/posters?limit=1&q=gull"}) {
    EXPECT_EQ(total(get(std::string(path) + "&count=true", "ada")), "10000 \"at_least\"") << path;
    EXPECT_EQ(total(get(std::string(path) + "&count=exact", "ada")), all) << path;
    EXPECT_EQ(total(get(std::string(path) + "&count=false", "ada")), "none none") << path;
  }
  EXPECT_EQ(total(search("tern ", "&count=true")), "4096 none");
  EXPECT_EQ(total(search("tern ", "&count=exact")), "4096 none");
  const std::string early = "&count=true&filter=" + encoded("title = 'early'");
  EXPECT_EQ(total(get("/posters?limit=1" + early, "ada")), "10000 none");
  EXPECT_EQ(total(search("gull", early)), "10000 none");
  EXPECT_EQ(problem(get("/posters?count=all", "ada")), "400 records.bad_query count:invalid");
}

TEST_P(ManyMatches, PagesHaveNoGapsAndNoDuplicates) {
  std::set<std::string> ids;
  std::string cursor;
  for (int page = 0; page < 5; ++page) {
    const Reply reply = get("/posters?limit=200&fields=id&q=gull%20" + cursor, "ada");
    ASSERT_EQ(reply.status, 200) << reply.body;
    EXPECT_EQ(member(reply, "ranked"), "\"recent\"");
    std::size_t count = 0;
    for (std::size_t at = 0; (at = reply.body.find(R"({"id":")", at)) != std::string::npos; ++count)
      EXPECT_TRUE(ids.insert(reply.body.substr(at += 7, 36)).second);
    ASSERT_EQ(count, 200U);
    cursor = "&cursor=" + next_of(reply);
  }
}

}  // namespace
}  // namespace tenon::records::test

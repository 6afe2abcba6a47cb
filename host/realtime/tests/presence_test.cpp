#include "realtime/presence.hpp"

#include <chrono>
#include <string>
#include <vector>

#include "base/json_slice.hpp"
#include "realtime/limits.hpp"
#include "realtime/tests/realtime_fixture.hpp"

namespace tenon::realtime::test {
namespace {

const char* const presence_planner = R"json({"tables":[
  {"name":"cards","publish":true,"rules":{"read":"public or owner = @user or can('planner.see_all')"},"fields":[
    {"name":"public","type":"boolean","required":true,"default":false},
    {"name":"owner","type":"user"}]},
  {"name":"vaults","publish":true,"fields":[{"name":"word","type":"text"}]},
  {"name":"inner","rules":{"read":"true"},"fields":[{"name":"word","type":"text"}]}
]})json";

class PresenceTest : public RealtimeFixture {
 protected:
  // A tab of a user.
  struct Tab {
    identity::PrincipalPtr person;
    std::shared_ptr<Stream> stream = std::make_shared<Stream>();
    std::string channel{};
  };

  PresenceTest() {
    attach(presence_planner);
    for (int number = 1; number <= 3; ++number)
      run("INSERT INTO cards (id, public) VALUES ('" + id_of(number) + "', true)");
  }

  Presence& presence() { return live_->presence(); }
  Tab tab(const std::string& user) {
    Tab tab{.person = principal(user)};
    tab.channel = presence().open(tab.person, tab.stream);
    return tab;
  }
  static PresenceKey card(int number) { return {"planner", "cards", id_of(number)}; }
  void look(const Tab& tab, const PresenceKey& record, const std::string& state = {}) {
    presence().look(*tab.person, tab.channel, record, state);
  }
  std::string refusal(const Tab& tab, const PresenceKey& record) {
    return data::test::code_of([&] { look(tab, record); });
  }
  // The names of the last event, with states: "bob editing, eve".
  static std::string people(const Tab& tab) {
    const auto sent = tab.stream->sent();
    if (sent.empty()) return "nothing";
    EXPECT_EQ(sent.back().first, presence_topic);
    std::string names;
    base::JsonSlice(sent.back().second)
        .each_member([&](const std::string& key, const base::JsonSlice& value) {
          if (key != "people") return;
          value.each_element([&](const base::JsonSlice& person) {
            if (!names.empty()) names += ", ";
            person.each_member([&](const std::string& what, const base::JsonSlice& text) {
              if (what == "name") names += text.string();
              if (what == "state") names += " " + text.string();
            });
          });
        });
    return names;
  }
  static testing::AssertionResult shows(const Tab& tab, const std::string& expected) {
    if (eventually([&] { return people(tab) == expected; })) return testing::AssertionSuccess();
    return testing::AssertionFailure() << people(tab) << " instead of " << expected;
  }
};

TENON_ON_BOTH_ENGINES(PresenceTest);

TEST_P(PresenceTest, NotifiesUsersOfTheSameRecord) {
  const Tab ada = tab("ada");
  const Tab bob = tab("bob");
  const Tab eve = tab("eve");
  look(ada, card(1));
  EXPECT_TRUE(shows(ada, ""));
  look(bob, card(1), "editing");
  look(eve, card(2));
  EXPECT_TRUE(shows(ada, "bob editing"));
  EXPECT_TRUE(shows(bob, "ada"));
  EXPECT_TRUE(shows(eve, ""));
  look(bob, card(1));
  EXPECT_TRUE(shows(ada, "bob"));
  presence().leave(*bob.person, bob.channel, card(1));
  EXPECT_TRUE(shows(ada, ""));
}

TEST_P(PresenceTest, SendsOnlyNamesAndHues) {
  const Tab ada = tab("ada");
  look(ada, card(1));
  look(tab("bob"), card(1), "editing");
  EXPECT_TRUE(shows(ada, "bob editing"));
  const std::string text = ada.stream->sent().back().second;
  EXPECT_EQ(text.find(R"({"plugin":"planner","table":"cards","id":")" + id_of(1) +
                      R"(","people":[{"name":"bob","hue":)"),
            0U)
      << text;
  EXPECT_NE(text.find(R"(,"state":"editing"}],"total":1})"), std::string::npos) << text;
}

TEST_P(PresenceTest, ShowsAUserOnceForAllTabs) {
  const Tab ada = tab("ada");
  const Tab again = tab("ada");
  const Tab bob = tab("bob");
  look(ada, card(1));
  look(again, card(1), "editing");
  look(bob, card(1));
  EXPECT_TRUE(shows(bob, "ada editing"));
  EXPECT_TRUE(shows(again, "bob"));
  presence().leave(*again.person, again.channel, card(1));
  EXPECT_TRUE(shows(bob, "ada"));
}

TEST_P(PresenceTest, EndsWithTheChannel) {
  const Tab ada = tab("ada");
  const Tab bob = tab("bob");
  look(ada, card(1));
  look(bob, card(1));
  EXPECT_TRUE(shows(ada, "bob"));
  presence().close(bob.channel);
  EXPECT_TRUE(shows(ada, ""));
  EXPECT_EQ(presence().size(), 1U);
  EXPECT_EQ(refusal(bob, card(1)), "presence.no_channel");
}

TEST_P(PresenceTest, KeepsUsersWhoComeBackInTime) {
  observability::Metrics metrics;
  Presence lenient(permissions_, metrics, std::chrono::hours(1));
  lenient.attach("planner", model_, database_);
  const auto open = [&](const std::string& user) {
    Tab tab{.person = principal(user)};
    tab.channel = lenient.open(tab.person, tab.stream);
    lenient.look(*tab.person, tab.channel, card(1), {});
    return tab;
  };
  const Tab ada = open("ada");
  const Tab bob = open("bob");
  EXPECT_TRUE(shows(ada, "bob"));
  const std::size_t before = ada.stream->sent().size();
  lenient.close(bob.channel);
  EXPECT_EQ(lenient.size(), 2U);
  open("bob");
  EXPECT_EQ(lenient.size(), 2U);
  open("eve");
  EXPECT_TRUE(shows(ada, "bob, eve"));
  EXPECT_EQ(ada.stream->sent().size(), before + 1);
}

TEST_P(PresenceTest, RefusesRecordsThatTheUserMayNotRead) {
  run("UPDATE cards SET public = false, owner = 'ada' WHERE id = '" + id_of(1) + "'");
  const Tab ada = tab("ada");
  const Tab bob = tab("bob");
  look(ada, card(1));
  EXPECT_EQ(refusal(bob, card(1)), "records.not_found");
  EXPECT_EQ(refusal(bob, card(9)), "records.not_found");
  EXPECT_EQ(refusal(bob, {"planner", "vaults", id_of(1)}), "records.not_found");
  EXPECT_EQ(refusal(bob, {"planner", "inner", id_of(1)}), "records.not_found");
  EXPECT_EQ(refusal(bob, {"planner", "none", id_of(1)}), "records.not_found");
  EXPECT_EQ(refusal(bob, {"other", "cards", id_of(1)}), "records.not_found");
  look(tab("root"), card(1));
  EXPECT_TRUE(shows(ada, "root"));
  EXPECT_EQ(people(bob), "nothing");
}

TEST_P(PresenceTest, HidesUsersWithoutReadAccess) {
  const Tab ada = tab("ada");
  const Tab bob = tab("bob");
  look(ada, card(1));
  look(bob, card(1));
  EXPECT_TRUE(shows(bob, "ada"));
  run("UPDATE cards SET public = false, owner = 'ada' WHERE id = '" + id_of(1) + "'");
  look(ada, card(1), "editing");
  EXPECT_TRUE(shows(bob, ""));
  EXPECT_TRUE(shows(ada, ""));
  EXPECT_EQ(presence().size(), 1U);
}

TEST_P(PresenceTest, RefusesChannelsOfOtherSessions) {
  const Tab ada = tab("ada");
  Tab thief = tab("bob");
  thief.channel = ada.channel;
  EXPECT_EQ(refusal(thief, card(1)), "presence.no_channel");
  thief.person = std::make_shared<const identity::Principal>(identity::Principal{
      .user_id = "ada", .login = "ada", .name = "ada", .role = {}, .session_id = "other"});
  EXPECT_EQ(refusal(thief, card(1)), "presence.no_channel");
  EXPECT_EQ(presence().size(), 0U);
}

TEST_P(PresenceTest, LimitsRecordsOfAChannel) {
  for (std::size_t i = 0; i <= looks_of_channel; ++i)
    run("INSERT INTO cards (id, public) VALUES ('" + id_of(100 + static_cast<int>(i)) + "', true)");
  const Tab ada = tab("ada");
  for (std::size_t i = 0; i < looks_of_channel; ++i)
    look(ada, card(100 + static_cast<int>(i)));
  const PresenceKey last = card(100 + static_cast<int>(looks_of_channel));
  look(ada, card(100), "editing");
  EXPECT_EQ(refusal(ada, last), "presence.too_many_per_channel");
  presence().leave(*ada.person, ada.channel, card(100));
  EXPECT_EQ(refusal(ada, last), "none");
}

TEST_P(PresenceTest, LimitsRecordsOfAUser) {
  std::vector<Tab> tabs;
  for (std::size_t i = 0; i < looks_of_person; ++i) {
    tabs.push_back(tab("ada"));
    look(tabs.back(), card(1));
  }
  EXPECT_EQ(refusal(tab("ada"), card(1)), "presence.too_many_per_person");
  EXPECT_EQ(refusal(tab("bob"), card(1)), "none");
  EXPECT_EQ(presence().size(), looks_of_person + 1);
}

TEST_P(PresenceTest, NamesSomeUsersAndCountsTheRest) {
  std::vector<Tab> all;
  for (std::size_t i = 0; i < people_named + 3; ++i) {
    all.push_back(tab("user" + std::to_string(i)));
    look(all.back(), card(1));
  }
  const Tab ada = tab("ada");
  look(ada, card(1));
  const std::string total = "\"total\":" + std::to_string(people_named + 3) + "}";
  EXPECT_TRUE(eventually([&] {
    const auto sent = ada.stream->sent();
    return !sent.empty() && sent.back().second.find(total) != std::string::npos;
  }));
  std::size_t names = 0;
  const std::string text = ada.stream->sent().back().second;
  for (std::size_t at = text.find("\"name\""); at != std::string::npos;
       at = text.find("\"name\"", at + 1))
    ++names;
  EXPECT_EQ(names, people_named);
}

TEST_P(PresenceTest, OutlivesAnUpgradeOfThePlugin) {
  const Tab ada = tab("ada");
  const Tab bob = tab("bob");
  look(ada, card(1));
  look(bob, card(1));
  EXPECT_TRUE(shows(ada, "bob"));
  live_->detach("planner");
  presence().leave(*bob.person, bob.channel, card(1));
  EXPECT_EQ(refusal(bob, card(1)), "records.not_found");
  live_->attach("planner", model_, database_);
  EXPECT_TRUE(shows(ada, ""));
  look(bob, card(1));
  EXPECT_TRUE(shows(ada, "bob"));
}

}  // namespace
}  // namespace tenon::realtime::test

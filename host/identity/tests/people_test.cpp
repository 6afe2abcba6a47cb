#include "identity/users/people.hpp"

#include "identity/tests/fixture.hpp"
#include "identity/users/groups.hpp"

namespace tenon::identity {

namespace {

class PeopleTest : public IdentityFixture {
 protected:
  PeopleTest() {
    for (const auto& [login, name] : {std::pair{"x1", "Ada Lovelace"},
                                      {"x2", "\xC3\x89mile Zola"},
                                      {"x3", "Jean-Luc Ade"},
                                      {"x4", "Love Ada"},
                                      {"secret", "Zoe"}}) {
      ids_[name] =
          users()
              .create({.login = login, .name = name, .role = Role::member, .password = password})
              .id;
    }
    ids_["Advisers"] = identity_->groups().create({.name = "Advisers"}).id;
  }

  People& people() { return identity_->people(); }
  static std::string names(const std::vector<Person>& found) {
    std::string text;
    for (const Person& person : found)
      text += (text.empty() ? "" : ", ") + std::string(to_string(person.kind)) + " " + person.name;
    return text;
  }
  std::string find(const std::string& text, std::optional<PersonKind> kind = {},
                   std::size_t limit = 20) {
    return names(people().find(text, kind, limit));
  }

  std::map<std::string, std::string> ids_;
};

}  // namespace

TEST_P(PeopleTest, FindsWordBeginningsWholeNamesFirst) {
  EXPECT_EQ(find("ad"), "user Ada Lovelace, group Advisers, user Jean-Luc Ade, user Love Ada");
  EXPECT_EQ(find("love"), "user Love Ada, user Ada Lovelace");
  EXPECT_EQ(find("LUC"), "user Jean-Luc Ade");
  EXPECT_EQ(find("ada love"), "user Ada Lovelace");
  EXPECT_EQ(find("\xC3\xA9mi"), "user \xC3\x89mile Zola");
  EXPECT_EQ(find("ovel"), "") << "in the middle of a word";
  EXPECT_EQ(find("secret"), "") << "by the login";
  EXPECT_EQ(find("\xC3"), "");
}

TEST_P(PeopleTest, FindsAllForAnEmptyText) {
  EXPECT_EQ(find(""),
            "user Ada Lovelace, group Advisers, user Jean-Luc Ade, user Love Ada, user Zoe, "
            "user \xC3\x89mile Zola");
  EXPECT_EQ(find("", {}, 2), "user Ada Lovelace, group Advisers");
  EXPECT_EQ(find("", {}, 0), "user Ada Lovelace");
}

TEST_P(PeopleTest, FindsByKind) {
  EXPECT_EQ(find("ad", PersonKind::group), "group Advisers");
  EXPECT_EQ(find("ad", PersonKind::user, 1), "user Ada Lovelace");
  EXPECT_EQ(parse_person_kind("role"), std::nullopt);
}

TEST_P(PeopleTest, FindsAtMostFifty) {
  database_->exec(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60) "
      "INSERT INTO identity_groups SELECT 'g' || i, 'g' || i, 'g' || i, '', 0, 0 FROM n");
  EXPECT_EQ(people().find("g", {}, 1000).size(), People::max_found);
}

TEST_P(PeopleTest, NamesDisabledUsersWithoutFindingThem) {
  users().change(ids_["Zoe"], {.name = {}, .role = {}, .disabled = true, .password = {}});
  EXPECT_EQ(find("zoe"), "");
  EXPECT_EQ(names(people().named({ids_["Advisers"], "unknown", ids_["Zoe"]})),
            "group Advisers, user Zoe");
  EXPECT_EQ(people().named(std::vector<std::string>(150, ids_["Zoe"])).size(), People::max_named);
}

TENON_ON_BOTH_ENGINES(PeopleTest);

}  // namespace tenon::identity

#include <gtest/gtest.h>

#include "running_plugin.hpp"

namespace tenon::test {
namespace {

struct NewNote {
  std::string title;
  int priority = 0;
};

void from_json(const nlohmann::json& json, NewNote& note) {
  json.at("title").get_to(note.title);
  json.at("priority").get_to(note.priority);
}

/// Registers `handle` at GET /x/{id}/{rest...} and POST /x, and returns the response to one
/// request.
class RequestTest : public testing::Test {
 protected:
  template <class F>
  RecordedResponse get(F handle, std::vector<std::string> params = {"7", "a/b"},
                       std::string query = {}, std::string user = {}) {
    const RunningPlugin plugin(host, [&](Scripted& self) {
      self.host().http().get("/x/{id}/{rest...}", access::everyone, handle);
    });
    return host.get("/x/{id}/{rest...}", std::move(params), std::move(query), std::move(user));
  }

  template <class F>
  RecordedResponse post(F handle, std::string body) {
    const RunningPlugin plugin(
        host, [&](Scripted& self) { self.host().http().post("/x", access::signed_in, handle); });
    return host.response(host.start(
        {TENON_HTTP_POST, "/x", {}, {}, std::move(body), {{"if-match", "\"3\""}}, "ada"}));
  }

  FakeHost host;
};

TEST_F(RequestTest, ParametersComeByNameAndIndex) {
  const RecordedResponse response = get([](const Request& r) {
    return Response::text(std::string(r.param("id")) + "|" + std::string(r.param("rest")) + "|" +
                          std::string(r.param(1)));
  });
  EXPECT_EQ(response.body, "7|a/b|a/b");
  EXPECT_EQ(response.content_type, "text/plain; charset=utf-8");
}

TEST_F(RequestTest, ReadsAParameterAsNumber) {
  const auto handle = [](const Request& r) { return Response::json({{"id", r.param<int>("id")}}); };
  EXPECT_EQ(get(handle).body, R"({"id":7})");
  const RecordedResponse wrong = get(handle, {"7x", ""});
  EXPECT_EQ(wrong.status, 404);
  EXPECT_EQ(wrong.code, "request.not_found");
  EXPECT_EQ(get(handle, {"99999999999999999999", ""}).status, 404);
}

TEST_F(RequestTest, AnUnknownParameterIsABug) {
  const RecordedResponse response =
      get([](const Request& r) { return Response::text(std::string(r.param("nope"))); });
  EXPECT_EQ(response.returned, TENON_E_INTERNAL);
  EXPECT_EQ(response.status, 0) << "the host says 500";
  EXPECT_TRUE(host.logged("no parameter 'nope'"));
}

TEST_F(RequestTest, TheQueryIsDecoded) {
  const RecordedResponse response = get(
      [](const Request& r) {
        Json all = Json::array();
        for (const std::string& tag : r.query_all("tag"))
          all.push_back(tag);
        return Response::json({{"q", r.query("q", "none")},
                               {"missing", r.query("missing").has_value()},
                               {"tags", all},
                               {"empty", r.query("empty", "x")},
                               {"limit", r.query<int>("limit", 50)},
                               {"other", r.query<std::int64_t>("other", 50)},
                               {"flag", r.query<bool>("flag", false)}});
      },
      {"1", ""}, "q=a+b%26c%zz&tag=x&&tag=%C3%A9&empty&limit=5&flag=true");
  EXPECT_EQ(
      Json::parse(response.body),
      Json::parse(
          R"({"q":"a b&c%zz","missing":false,"tags":["x","é"],"empty":"","limit":5,"other":50,"flag":true})"));
}

TEST_F(RequestTest, AWrongNumberNamesTheField) {
  const RecordedResponse response =
      get([](const Request& r) { return Response::json(r.query<int>("limit", 1)); }, {"1", ""},
          "limit=many");
  EXPECT_EQ(response.status, 400);
  EXPECT_EQ(response.code, "request.query");
  EXPECT_EQ(response.problem_fields, std::vector<std::string>{"limit"});
}

TEST_F(RequestTest, HeadersAreFoundInAnyCase) {
  const RecordedResponse response = post(
      [](const Request& r) {
        return Response::text(std::string(r.header("If-Match").value_or("none")) +
                              (r.header("x") ? "x" : "-"));
      },
      "{}");
  EXPECT_EQ(response.body, "\"3\"-");
}

TEST_F(RequestTest, ABodyReadsAsAStruct) {
  const auto handle = [](const Request& r) {
    const auto note = r.json<NewNote>();
    return Response::json({{"title", note.title}, {"priority", note.priority}})
        .status(201)
        .header("Location", "/n/1");
  };
  const RecordedResponse good = post(handle, R"({"title":"Plan","priority":2})");
  EXPECT_EQ(good.status, 201);
  EXPECT_EQ(good.body, R"({"priority":2,"title":"Plan"})");
  EXPECT_EQ(good.headers, (std::vector<std::pair<std::string, std::string>>{{"Location", "/n/1"}}));
  EXPECT_EQ(post(handle, R"({"title":1,"priority":2})").status, 422);
  const RecordedResponse broken = post(handle, "{\"title\":");
  EXPECT_EQ(broken.status, 400);
  EXPECT_EQ(broken.code, "request.json");
}

TEST_F(RequestTest, MembersNameTheFieldThatIsWrong) {
  const auto handle = [](const Request& r) {
    const Json body = r.json();
    return Response::json({{"title", required_member<std::string>(body, "title")},
                           {"n", member<int>(body, "n").value_or(-1)}});
  };
  EXPECT_EQ(post(handle, R"({"title":"a","n":null})").body, R"({"n":-1,"title":"a"})");
  const RecordedResponse missing = post(handle, "{}");
  EXPECT_EQ(missing.status, 422);
  EXPECT_EQ(missing.problem_fields, std::vector<std::string>{"title"});
  EXPECT_EQ(post(handle, R"({"title":"a","n":"3"})").problem_fields, std::vector<std::string>{"n"});
  EXPECT_EQ(post(handle, R"([1,2])").status, 422);
}

TEST_F(RequestTest, DeeplyNestedJsonDoesNotOverflowTheStack) {
  const RecordedResponse response = post(
      [](const Request& r) {
        return Response::json({{"n", r.json().size()}});
      },
      std::string(300'000, '[') + std::string(300'000, ']'));
  EXPECT_EQ(response.body, R"({"n":1})");
}

TEST_F(RequestTest, TheUserIsKnownAndAskedForPermissions) {
  host.users["ada"] = "Ada Lovelace";
  host.permissions = {"test.read"};
  const auto handle = [](const Request& r) {
    const auto user = r.user();
    return Response::json({{"name", user ? user->name : "guest"},
                           {"read", r.can("test.read")},
                           {"write", r.can("test.write")}});
  };
  EXPECT_EQ(get(handle, {"1", ""}, {}, "ada").body,
            R"({"name":"Ada Lovelace","read":true,"write":false})");
  EXPECT_EQ(Json::parse(get(handle).body)["name"], "guest");
  const RecordedResponse refused = get([](const Request& r) { r.require("test.write"); });
  EXPECT_EQ(refused.status, 403);
  const RecordedResponse undeclared = get([](const Request& r) { r.require("other.write"); });
  EXPECT_EQ(undeclared.returned, TENON_E_INTERNAL);
  EXPECT_TRUE(host.logged("not declared in plugin.json"));
}

TEST_F(RequestTest, GroupsAreThoseOfWhoAsksHoweverMany) {
  std::vector<std::string> many;
  for (int i = 100; i < 140; ++i)
    many.push_back("group-" + std::to_string(i));
  host.groups = {{"ada", {"makers", "readers"}}, {"bob", many}};
  const auto handle = [](const Request& request) { return Response::json(Json(request.groups())); };
  EXPECT_EQ(get(handle, {"1", ""}, {}, "ada").body, R"(["makers","readers"])");
  EXPECT_EQ(Json::parse(get(handle, {"1", ""}, {}, "bob").body), Json(many));
  EXPECT_EQ(get(handle).body, "[]");
}

TEST_F(RequestTest, AllUsersComeInOrder) {
  host.users = {{"admin", "Root"}, {"bob", "Bob"}, {"ada", "Ada"}};
  const RecordedResponse response = get([](const Request&) { return Response::empty(); });
  EXPECT_EQ(response.status, 204);
  std::string seen;
  const RunningPlugin plugin(host, Steps{.start = [&](Scripted& self) {
                               for (const User& user : self.host().identity().all()) {
                                 seen += user.id + (user.is_admin ? "! " : " ");
                               }
                               seen += self.host().identity().find("stranger") ? "found" : "none";
                             }});
  EXPECT_EQ(seen, "ada admin! bob none");
}

}  // namespace
}  // namespace tenon::test

#include "base/problem.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace tenon::base {

TEST(Problem, SaysWhatAndWhere) {
  const Error error(422, "records.validation", "One field is wrong.",
                    {{"title", "required", "A title is needed."}});
  EXPECT_EQ(
      problem_json(error, "r1"),
      R"({"type":"about:blank","title":"Unprocessable Content","status":422,"code":"records.validation",)"
      R"("detail":"One field is wrong.","request_id":"r1",)"
      R"("errors":[{"field":"title","code":"required","message":"A title is needed."}]})");
}

TEST(Problem, LeavesOutWhatIsNotThere) {
  EXPECT_EQ(
      problem_json(Error(404, "http.not_found", "No."), ""),
      R"({"type":"about:blank","title":"Not Found","status":404,"code":"http.not_found","detail":"No."})");
}

}  // namespace tenon::base

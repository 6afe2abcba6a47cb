#pragma once

#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace tenon::http::test::corpus {

/// Raw bytes of one connection and what must come of them. A family of cases is one file,
/// `corpus_<family>_test.cpp`; what runs them is in corpus_test.cpp.
struct Case {
  const char* name;
  std::string bytes;
  std::vector<int> statuses;         ///< of the responses, in order; interim ones are not counted
  bool closes;                       ///< else the connection serves one more request
  std::vector<std::string> planned;  ///< "METHOD /path" of all that was understood as a request
  bool ends = false;                 ///< the client ends its direction after the bytes
};

/// Names the case where GoogleTest would print its memory.
inline void PrintTo(const Case& tried, std::ostream* out) {
  *out << tried.name;
}

class Corpus : public testing::TestWithParam<Case> {
 protected:
  static void SetUpTestSuite();
  static void TearDownTestSuite();
  /// Sends the bytes in pieces of at most `piece` and compares with the case.
  static void check(const Case& expected, std::size_t piece);
};

using Names = std::vector<std::string>;

/// A request that must never be planned.
inline const std::string second = "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n";
inline const std::string get = "GET /a HTTP/1.1\r\nHost: a\r\n";
inline const std::string post = "POST /post HTTP/1.1\r\nHost: a\r\n";
inline const std::string chunked = post + "Transfer-Encoding: chunked\r\n\r\n";
inline const Names none;
inline const Names one_get{"GET /a"};
inline const Names one_post{"POST /post"};

/// A request that gets a 200, after which the connection stays open.
inline Case served(const char* name, std::string bytes, Names planned = one_get) {
  return {name, std::move(bytes), {200}, false, std::move(planned)};
}

/// A head that is refused before anything is planned; what follows is never looked at.
inline Case refused(const char* name, const std::string& bytes, int status = 400) {
  return {name, bytes + second, {status}, true, none};
}

/// A chunked body for /post that is refused at some byte of it; what follows is never looked at.
inline Case bad_body(const char* name, const std::string& body) {
  return {name, chunked + body + second, {400}, true, one_post};
}

/// A request line with nothing wrong but its target.
inline Case bad_target(const char* name, const std::string& target) {
  return refused(name, "GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n");
}

/// `count` times `text`.
inline std::string times(int count, const std::string& text) {
  std::string all;
  for (int i = 0; i < count; ++i)
    all += text;
  return all;
}

inline std::string name_of(const testing::TestParamInfo<Case>& tried) {
  return tried.param.name;
}

}  // namespace tenon::http::test::corpus

/// Runs `cases` under the name of their family.
#define TENON_CORPUS(family, cases) \
  INSTANTIATE_TEST_SUITE_P(family, Corpus, testing::ValuesIn(cases), name_of)

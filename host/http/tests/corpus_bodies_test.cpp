// Limits of heads and bodies, and what a JSON route takes. Limits of time and number are in
// limits_test.cpp and slow_clients_test.cpp.

#include "corpus.hpp"

namespace tenon::http::test::corpus {
namespace {

std::string json(const std::string& body,
                 const std::string& type = "Content-Type: application/json\r\n") {
  return "POST /json HTTP/1.1\r\nHost: a\r\n" + type +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}
const Names one_json{"POST /json"};

Case bad_json(const char* name, const std::string& body, int status = 400) {
  return {name, json(body), {status}, false, one_json};
}
Case no_json(const char* name, const std::string& type) {
  return {name, json("{}", type), {415}, false, one_json};
}

const std::vector<Case> limits{
    served("TargetAtTheLimit", "GET /a?" + std::string(509, 'b') + " HTTP/1.1\r\nHost: a\r\n\r\n"),
    refused("LongTarget", "GET /a?" + std::string(510, 'b') + " HTTP/1.1\r\nHost: a\r\n\r\n", 414),
    {"EndlessTarget", "GET /" + std::string(3000, 'a'), {414}, true, none},
    refused("LongMethod", std::string(600, 'A') + " /a HTTP/1.1\r\nHost: a\r\n\r\n", 414),
    served("FieldsAtTheLimit", get + times(19, "X: y\r\n") + "\r\n"),
    refused("OneFieldMore", get + times(20, "X: y\r\n") + "\r\n", 431),
    served("LargestHead", get + "X: " + std::string(4096 - 33, 'x') + "\r\n\r\n"),
    refused("LargeHead", get + "X: " + std::string(4096 - 32, 'x') + "\r\n\r\n", 431),
    refused("LargeName", get + std::string(4096, 'X') + ": y\r\n\r\n", 431),
    {"EndlessHead", get + "X: " + std::string(5000, 'x'), {431}, true, none},
    served("LargestBody", post + "Content-Length: 64\r\n\r\n" + std::string(64, 'x'), one_post),
    {"LargeBody",
     post + "Content-Length: 65\r\n\r\n" + std::string(65, 'x'),
     {413},
     false,
     one_post},
    {"VeryLargeBody",
     post + "Content-Length: 2000\r\n\r\n" + std::string(2000, 'x'),
     {413},
     true,
     one_post},
    {"LargestLengthThatIsRead",
     post + "Content-Length: " + std::string(18, '9') + "\r\n\r\n",
     {413},
     true,
     one_post},
    {"LargeChunk",
     chunked + "64\r\n" + std::string(100, 'x') + "\r\n0\r\n\r\n",
     {413},
     true,
     one_post},
    {"EndlessChunk",
     chunked + "ffffffffffffffff\r\n" + std::string(100, 'x'),
     {413},
     true,
     one_post},
    {"ManyChunks", chunked + times(80, "1\r\nx\r\n") + "0\r\n\r\n" + second, {413}, true, one_post},
    bad_body("LongExtension", "5;" + std::string(5000, 'x') + "\r\nhello\r\n0\r\n\r\n"),
    bad_body("EndlessExtension", "5;" + std::string(9000, 'x')),
    bad_body("LongTrailer", "0\r\nX: " + std::string(5000, 'x') + "\r\n\r\n"),
    bad_body("ManyTrailers", "0\r\n" + times(2000, "X: y\r\n") + "\r\n"),
};

const std::vector<Case> bodies{
    served("Json", json("{\"a\":[1,2.5e3,null,\"\\u00e4\"]}"), one_json),
    served("WithCharset", json("{}", "Content-Type: application/json; charset=UTF-8\r\n"),
           one_json),
    served("WithQuotedCharset", json("{}", "Content-Type: application/json;charset=\"utf-8\"\r\n"),
           one_json),
    served("TypeWithSuffix", json("{}", "Content-Type: application/merge-patch+json\r\n"),
           one_json),
    served("TypeInCapitals", json("{}", "Content-Type: Application/JSON\r\n"), one_json),
    served("Empty", "POST /json HTTP/1.1\r\nHost: a\r\n\r\n", one_json),
    served("CodedAsIdentity",
           json("{}", "Content-Type: application/json\r\nContent-Encoding: identity\r\n"),
           one_json),
    served("Deepest", json(times(8, "[") + times(8, "]")), one_json),
    bad_json("Deep", times(9, "[") + times(9, "]")),
    bad_json("VeryDeep", times(250, "[") + times(250, "]")),
    served("Largest", json("\"" + std::string(510, 'x') + "\""), one_json),
    bad_json("Large", "\"" + std::string(511, 'x') + "\"", 413),
    bad_json("Broken", "{]"),
    bad_json("Twice", "{}{}"),
    bad_json("Half", "{\"a\":"),
    bad_json("OnlySpace", " "),
    bad_json("DuplicateKey", "{\"a\":1,\"a\":2}"),
    bad_json("DuplicateKeyInEscapes", "{\"a\":1,\"\\u0061\":2}"),
    bad_json("TrailingComma", "[1,]"),
    bad_json("Comment", "{}//"),
    bad_json("SingleQuotes", "{'a':1}"),
    bad_json("NotANumber", "[NaN]"),
    bad_json("LeadingZero", "[01]"),
    bad_json("ByteOrderMark", "\xEF\xBB\xBF{}"),
    bad_json("InvalidUtf8", "\"\xFF\""),
    bad_json("HalfSurrogate", "\"\\ud800\""),
    bad_json("RawControl", "\"\x01\""),
    bad_json("Nul", std::string("{}\0", 3)),
    no_json("Text", "Content-Type: text/plain\r\n"),
    no_json("NoType", ""),
    no_json("EmptyType", "Content-Type:\r\n"),
    no_json("TypeThatOnlyBeginsSo", "Content-Type: application/jsonp\r\n"),
    no_json("OnlySuffix", "Content-Type: +json\r\n"),
    no_json("Latin1", "Content-Type: application/json; charset=latin1\r\n"),
    no_json("Utf16", "Content-Type: application/json; charset=utf-8; charset=utf-16\r\n"),
    no_json("Compressed", "Content-Type: application/json\r\nContent-Encoding: gzip\r\n"),
    no_json("CompressedTwice",
            "Content-Type: application/json\r\nContent-Encoding: identity, br\r\n"),
    no_json("CompressedInASecondField",
            "Content-Type: application/json\r\nContent-Encoding: identity\r\n"
            "Content-Encoding: br\r\n"),
};

TENON_CORPUS(Limit, limits);
TENON_CORPUS(Body, bodies);

}  // namespace
}  // namespace tenon::http::test::corpus

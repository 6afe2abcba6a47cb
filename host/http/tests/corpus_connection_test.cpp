// The life of a connection: pipelines, responses before the body was read, Expect, Upgrade,
// HTTP/1.0, TLS, and clients that stop half-way (RFC 9112, section 9).

#include "corpus.hpp"

namespace tenon::http::test::corpus {
namespace {

const std::string worker = "GET /worker HTTP/1.1\r\nHost: a\r\n\r\n";
const std::string denied_head = "POST /denied HTTP/1.1\r\nHost: a\r\n";
const std::string early_post = "POST /early HTTP/1.1\r\nHost: a\r\n";
const std::string tls = "\x16\x03\x01\x02";
const std::string length_and_end = "Content-Length: 35\r\n\r\n";  // that of `second`
const Names one_denied{"POST /denied"};
const Names one_early{"POST /early"};

const std::vector<Case> pipelines{
    {"TwoGets", get + "\r\n" + get + "\r\n", {200, 200}, false, {"GET /a", "GET /a"}},
    {"PostThenGet",
     post + "Content-Length: 2\r\n\r\nhi" + get + "\r\n",
     {200, 200},
     false,
     {"POST /post", "GET /a"}},
    {"ChunksThenGet",
     chunked + "2\r\nhi\r\n0\r\n\r\n" + get + "\r\n",
     {200, 200},
     false,
     {"POST /post", "GET /a"}},
    {"EmptyLineBetween",
     post + "Content-Length: 2\r\n\r\nhi\r\n" + get + "\r\n",
     {200, 200},
     false,
     {"POST /post", "GET /a"}},
    {"RefusedThenGet",
     denied_head + "Content-Length: 2\r\n\r\nhi" + get + "\r\n",
     {401, 200},
     false,
     {"POST /denied", "GET /a"}},
    {"BrokenJsonThenGet",
     "POST /json HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
     "Content-Length: 1\r\n\r\n{" +
         get + "\r\n",
     {400, 200},
     false,
     {"POST /json", "GET /a"}},
    {"UnknownThenGet",
     "GET /nowhere HTTP/1.1\r\nHost: a\r\n\r\n" + get + "\r\n",
     {404, 200},
     false,
     {"GET /nowhere", "GET /a"}},
    {"TwoEmptyLinesBetween", get + "\r\n\r\n\r\n" + second, {200, 400}, true, one_get},
    {"BodyLongerThanItsLength",
     post + "Content-Length: 2\r\n\r\nhi!" + second,
     {200, 200},
     false,
     {"POST /post", "!GET /smuggled"}},
    {"GetThenBroken", get + "\r\nBROKEN\r\n\r\n" + second, {200, 400}, true, one_get},
    {"GetThenBadFraming",
     get + "\r\n" + post + "Content-Length: x\r\n\r\n" + second,
     {200, 400},
     true,
     one_get},
    {"GetThenOtherVersion",
     get + "\r\nGET /smuggled HTTP/2.0\r\n\r\n" + second,
     {200, 505},
     true,
     one_get},
    {"GetThenLongTarget",
     get + "\r\nGET /" + std::string(600, 'a') + " HTTP/1.1\r\n\r\n" + second,
     {200, 414},
     true,
     one_get},
    {"BadChunkThenGet", chunked + "x\r\n\r\n" + second, {400}, true, one_post},
    {"WorkerThenInlineThenBroken",
     worker + get + "\r\nGET / HTTP/1.1\r\n\r\n" + second,
     {200, 200, 400},
     true,
     {"GET /worker", "GET /a"}},
    {"WorkerThenTls", worker + tls + second, {200}, true, {"GET /worker"}},
    {"Close", get + "Connection: close\r\n\r\n", {200}, true, one_get},
    {"CloseInCapitals", get + "CONNECTION: x, CLOSE\r\n\r\n", {200}, true, one_get},
    {"CloseAndKeepAlive", get + "Connection: keep-alive, close\r\n\r\n", {200}, true, one_get},
    {"CloseThenMore", get + "Connection: close\r\n\r\n" + second, {200}, true, one_get},
    {"PostCloseThenMore",
     post + "Connection: close\r\nContent-Length: 2\r\n\r\nhi" + second,
     {200},
     true,
     one_post},
    {"RefusedCloseThenMore",
     denied_head + "Connection: close\r\nContent-Length: 2\r\n\r\nhi" + second,
     {401},
     true,
     one_denied},
};

const std::vector<Case> early_responses{
    {"BodyOfGet", get + length_and_end + second, {413}, false, one_get},
    {"ChunkedBodyOfGet",
     get + "Transfer-Encoding: chunked\r\n\r\n23\r\n" + second + "\r\n0\r\n\r\n",
     {413},
     false,
     one_get},
    {"BodyOfRefused", denied_head + length_and_end + second, {401}, false, one_denied},
    {"BodyOfUnknown",
     "POST /nowhere HTTP/1.1\r\nHost: a\r\n" + length_and_end + second,
     {404},
     false,
     {"POST /nowhere"}},
    {"BodyThatTheHandlerLeaves", early_post + length_and_end + second, {409}, false, one_early},
    {"ChunksThatTheHandlerLeaves",
     early_post + "Transfer-Encoding: chunked\r\n\r\n23\r\n" + second + "\r\n0\r\n\r\n",
     {409},
     false,
     one_early},
    {"LargeBodyOfRefused",
     denied_head + "Content-Length: 2000\r\n\r\n" + second + std::string(1965, 'x'),
     {401},
     true,
     one_denied},
    {"EndlessBodyOfRefused",
     denied_head + "Transfer-Encoding: chunked\r\n\r\n7d0\r\n" + second + std::string(1965, 'x') +
         "\r\n" + second,
     {401},
     true,
     one_denied},
    {"BadChunksOfRefused",
     denied_head + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n\r\n" + second,
     {401},
     true,
     one_denied},
    {"BodyOfRefusedThatNeverComes",
     denied_head + "Content-Length: 2000\r\n\r\n",
     {401},
     true,
     one_denied},
};

const std::vector<Case> expectations{
    served("Continue", post + "Expect: 100-continue\r\nContent-Length: 2\r\n\r\nhi", one_post),
    served("ContinueInCapitals", post + "Expect: 100-CONTINUE\r\nContent-Length: 2\r\n\r\nhi",
           one_post),
    served("ContinueWithChunks",
           post + "Expect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n"
                  "2\r\nhi\r\n0\r\n\r\n",
           one_post),
    served("ContinueWithoutBody", get + "Expect: 100-continue\r\n\r\n"),
    refused("Unknown", post + "Expect: more\r\n" + length_and_end, 417),
    refused("AmongOthers", post + "Expect: 100-continue, more\r\n" + length_and_end, 417),
    refused("Empty", post + "Expect:\r\n" + length_and_end, 417),
    refused("SecondIsUnknown", post + "Expect: 100-continue\r\nExpect: x\r\n" + length_and_end,
            417),
    // The server cannot know whether the client will send the body after all.
    {"OfRefused",
     denied_head + "Expect: 100-continue\r\n" + length_and_end,
     {401},
     true,
     one_denied},
    {"OfTooLarge",
     post + "Expect: 100-continue\r\nContent-Length: 65\r\n\r\n",
     {413},
     true,
     one_post},
    {"On10IsIgnored",
     "POST /post HTTP/1.0\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\nhi",
     {200},
     true,
     one_post},
    {"UnknownOn10IsIgnored",
     "POST /post HTTP/1.0\r\nContent-Length: 2\r\nExpect: more\r\n\r\nhi",
     {200},
     true,
     one_post},
};

// A server may ignore Upgrade (RFC 9110, section 7.8): what follows is read as HTTP.
const std::vector<Case> upgrades{
    served("ToHttp2", get + "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
                            "HTTP2-Settings: AAMAAABkAAQ\r\n\r\n"),
    served("ToWebSocket",
           get + "Connection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n"
                 "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
                 "\r\n"),
    served("WithoutConnection", get + "Upgrade: h2c\r\n\r\n"),
    served("OfAPost", post + "Connection: upgrade\r\nUpgrade: x\r\nContent-Length: 2\r\n\r\nhi",
           one_post),
    {"ThenTheOtherProtocol",
     get + "Connection: Upgrade\r\nUpgrade: x\r\n\r\nx: \x81\r\n" + second,
     {200, 400},
     true,
     one_get},
    {"ThenHttp2",
     get + "Connection: Upgrade\r\nUpgrade: h2c\r\n\r\nPRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
     {200, 505},
     true,
     one_get},
    refused("Http2InDisguise", "PRI * HTTP/1.1\r\nHost: a\r\n\r\nSM\r\n\r\n"),
};

const std::vector<Case> http10{
    {"Get", "GET /a HTTP/1.0\r\n\r\n", {200}, true, one_get},
    {"AbsoluteForm", "GET http://a/a HTTP/1.0\r\n\r\n", {200}, true, one_get},
    {"ThenMore", "GET /a HTTP/1.0\r\n\r\n" + second, {200}, true, one_get},
    {"Post", "POST /post HTTP/1.0\r\nContent-Length: 2\r\n\r\nhi" + second, {200}, true, one_post},
    {"PostWithoutLength", "POST /post HTTP/1.0\r\n\r\n" + second, {200}, true, one_post},
    {"CloseAndKeepAlive",
     "GET /a HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n" + second,
     {200},
     true,
     one_get},
    served("KeepAlive", "GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"),
    {"KeepAliveTwice",
     times(2, "GET /a HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n"),
     {200, 200},
     false,
     {"GET /a", "GET /a"}},
    refused("TwoHosts", "GET /a HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n"),
    refused("BadHost", "GET /a HTTP/1.0\r\nHost: a b\r\n\r\n"),
    refused("BareLf", "GET /a HTTP/1.0\nHost: a\n\n"),
};

// The client closes its direction. Incomplete requests never ran; complete ones get a response.
const std::vector<Case> ends{
    {"AfterARequest", get + "\r\n", {200}, true, one_get, true},
    {"AfterAWorkersRequest", worker, {200}, true, {"GET /worker"}, true},
    {"BeforeAnything", "", {}, true, none, true},
    {"InTheRequestLine", "GET /smuggled HT", {}, true, none, true},
    {"InTheHead", get + "X: y\r\n", {}, true, none, true},
    {"BeforeTheLastLineFeed", get + "\r", {}, true, none, true},
    {"InTheBody", post + "Content-Length: 5\r\n\r\nhell", {}, true, one_post, true},
    {"InAChunk", chunked + "5\r\nhell", {}, true, one_post, true},
    {"BeforeTheLastChunk", chunked + "5\r\nhello\r\n", {}, true, one_post, true},
    {"InTheTrailer", chunked + "0\r\nA: b\r\n", {}, true, one_post, true},
    {"InTheSecondHead", worker + "GET /smuggled HTTP/1.1\r\n", {200}, true, {"GET /worker"}, true},
    {"AfterABodyOfRefused",
     denied_head + "Content-Length: 5\r\n\r\nhel",
     {401},
     true,
     one_denied,
     true},
};

TENON_CORPUS(Pipeline, pipelines);
TENON_CORPUS(EarlyResponse, early_responses);
TENON_CORPUS(Expect, expectations);
TENON_CORPUS(Upgrade, upgrades);
TENON_CORPUS(Http10, http10);
TENON_CORPUS(End, ends);

}  // namespace
}  // namespace tenon::http::test::corpus

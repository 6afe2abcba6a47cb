// Requests that another strict parser refuses: the kinds of invalid request that the test suite of
// llhttp (github.com/nodejs/llhttp, test/request, strict mode) describes, in requests of our own.
// Below them, where the two differ on purpose, and why.

#include "corpus.hpp"

namespace tenon::http::test::corpus {
namespace {

const std::string put = "PUT /post HTTP/1.1\r\nHost: a\r\n";
const std::string host_and_end = "\r\nHost: a\r\n\r\n";
const std::string hello = "5\r\nhello\r\n";
const std::string last = "0\r\n\r\n";

const std::vector<Case> refused_by_both{
    // connection
    refused("ConnectionWithCr", put + "Connection: keep\ralive\r\n\r\n"),
    refused("ConnectionAndSpace", put + "Connection : close\r\nContent-Length: 1\r\n\r\nx"),

    // content-length
    refused("LengthOf22Digits", put + "Content-Length: 1000000000000000000000\r\n\r\n"),
    refused("TwoLengths", put + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nx"),
    refused("LengthAndIdentity", put + "Content-Length: 1\r\nTransfer-Encoding: identity\r\n\r\nx"),
    refused("LengthAndSpace", put + "Content-Length : 4\r\nUpgrade: x\r\n\r\nabcd"),
    refused("LengthOfTwoDigitsApart", put + "Content-Length: 4 2\r\n\r\n"),
    refused("LengthOfTwoNumbers", put + "Content-Length: 13 37\r\n\r\n"),
    refused("LengthOfNothing", put + "Content-Length:\r\n\r\n"),
    refused("LengthWithCrInName", put + "Content\rLength: 3\r\n\r\nabc"),
    refused("OneLineEndBeforeBody", put + "Content-Length: 3\r\n\rabc\r\n\r\n"),

    // invalid
    refused("Icecast", "GET /a ICE/1.0" + host_and_end),
    refused("AlmostHttp", "GET /a IHTTP/1.0" + host_and_end),
    refused("Rtsp", "PUT /a RTSP/1.0" + host_and_end),
    refused("FieldsWithCrBetween", get + "X: 1\rY: 2\r\n\r\n"),
    refused("FieldsWithLfBetween",
            get + "X:x\nTransfer-Encoding: chunked\r\n\r\n1\r\nA\r\n" + last),
    refused("CrAndLetterAfterHead", get + "\rZGET /smuggled: HTTP/1.1\r\nHost: a\r\n\r\n"),
    refused("EmptyFieldAndCr", get + "X:\rTransfer-Encoding: chunked\r\n\r\n" + last),
    refused("EmptyFieldAndLf", get + "X:\nTransfer-Encoding: chunked\r\n\r\n" + last),
    refused("AtSignInName", get + "Fo@: x\r\n\r\n"),
    refused("ControlsInName", get + "Foo\x01\tbar: x\r\n\r\n"),
    refused("NameOfNothing", get + ": x\r\n\r\n"),
    refused("FoldedName", get + "name\r\n : value\r\n\r\n"),
    refused("EscapeInConnection", get + "Connection\r\x1B"
                                        "5\xD5"
                                        "eep\r\nX: y\r\n\r\n"),
    refused("EscapeInName", get + "X-Some\r\x1B"
                                  "5\xD5"
                                  "eep\r\nX: y\r\n\r\n"),
    refused("LengthHiddenByLf", get + "X: x\nContent-Length: 23\r\n\r\n"),
    refused("UnknownVersion", "GET /a HTTP/5.6" + host_and_end, 505),
    refused("SpaceBeforeFirstField", "GET /a HTTP/1.1\r\n Host: a\r\n\r\n"),
    refused("OnlyLf", "POST /post HTTP/1.1\nTransfer-Encoding: chunked\n\n1\nA\n0\n\n"),
    refused("SpaceBeforeField", post + "X: y\r\n Content-Length: 38\r\n\r\n"),

    // header values
    refused("FormFeedInValue", get + "X: hello\x0Cworld\r\n\r\n"),
    refused("FormFeedAsValue", get + "X: \x0C\r\n\r\n"),
    refused("FoldsWithLf", get + "X: abc\n\tdef\n ghi\n\n"),
    refused("CrAfterVersion", "GET /a HTTP/1.1\rX: 1\r\n\r\n"),

    // transfer-encoding
    bad_body("NoSemicolonBeforeExtension", "2 erfrferferf\r\naa\r\n0 rrrr\r\n\r\n"),
    bad_body("NoExtensionAfterSemicolon", "2;\r\naa\r\n" + last),
    bad_body("OpenQuotes", "5;a=\"b\";c=\"d; e\r\nhello\r\n6;f;g\r\n world\r\n" + last),
    refused("PigeonCoding", put + "Transfer-Encoding: pigeons\r\n\r\n", 501),
    refused("IdentityAndLength",
            put + "Transfer-Encoding: identity\r\nContent-Length: 5\r\n\r\nWorld", 501),
    refused("LengthAndEmptyCodings", post + "Content-Length: 10\r\n" +
                                         times(3, "Transfer-Encoding:\r\n") + "\r\n2\r\nAA\r\n0"),
    refused("ChunkedBeforeDeflate", put + "Transfer-Encoding: chunked, deflate\r\n\r\nWorld", 501),
    refused("ChunkedThenDeflate",
            put + "Transfer-Encoding: chunked\r\nTransfer-Encoding: deflate\r\n\r\nWorld"),
    refused("ChunkedChunked", put + "Transfer-Encoding: chunkedchunked\r\n\r\n" + hello + last,
            501),
    bad_body("WithoutLastChunk", "3\r\nfoo\r\n\r\n"),
    bad_body("LfInChunkLine", "3 \n  \r\nfoo\r\n\r\n"),
    bad_body("TwoCrAfterChunkSize", "5\r\r;ABCD\r\n34\r\nE\r\n" + last),
    bad_body("NoLineEndAfterChunk", "5\r\nABCDE" + last),
    bad_body("SpaceAfterChunkSize", "a \r\n0123456789\r\n" + last),

    // uri, url
    bad_target("RawUtf8InPath", "/\xCE\xB4\xC2\xB6/\xCE\xB4t?q=1"),
    bad_target("SpaceInPath", "/foo bar/"),
    bad_target("UnknownScheme", "schema:/path?query"),
    bad_target("TwoAtSigns", "http://a:b@@a:443/"),
    bad_target("TabInPath", "/foo\tbar/"),
    bad_target("FormFeedInPath",
               "/foo\x0C"
               "bar/"),
};

const std::vector<Case> refused_by_the_other{
    // Any token is a method; the layer above refuses the ones that it does not know (RFC 9110,
    // section 9.1).
    served("MethodOfRtsp", "ANNOUNCE /a HTTP/1.1" + host_and_end, {"ANNOUNCE /a"}),
    served("MethodThatIsTooLong", "MKCOLA /a HTTP/1.1" + host_and_end, {"MKCOLA /a"}),
    // Upgrade may be ignored (RFC 9110, section 7.8); llhttp stops there and leaves it to its user.
    served("Upgrade", put + "Connection: upgrade\r\nUpgrade: ws\r\n\r\n", {"PUT /post"}),
    served("UpgradeWithBody",
           put + "Connection: upgrade\r\nContent-Length: 4\r\nUpgrade: ws\r\n\r\nabcd",
           {"PUT /post"}),
    // The bytes after the last request are never looked at (RFC 9112, section 9.6), but that
    // request was valid.
    {"MoreAfterClose",
     post + "Content-Length: 4\r\nConnection: close\t\r\n\r\nq=42\r\n\r\n" + second,
     {200},
     true,
     one_post},
    {"MoreAfter10", "GET /a HTTP/1.0\r\n\r\n" + second, {200}, true, one_get},
};

const std::vector<Case> refused_by_us{
    // No tunnels: 501 (RFC 9110, sections 9.3.6 and 15.6.2); llhttp leaves it to its user.
    refused("Connect10", "CONNECT a_0.example:443 HTTP/1.0\r\n\r\nsome data\r\n\r\n", 501),
    refused("ConnectWithBody", "CONNECT a:443 HTTP/1.0\r\nContent-Length: 3\r\n\r\nabc", 501),
    // An origin server knows "*" for OPTIONS only (RFC 9112, section 3.2.4), so no HTTP/2 preface
    // and no discovery.
    refused("Http2PrefaceAs11", "PRI * HTTP/1.1\r\nHost: a\r\n\r\nSM\r\n\r\n"),
    refused("Discovery", "M-SEARCH * HTTP/1.1" + host_and_end),
    // Only HTTP, only 1.0 and 1.1, and always with a version (RFC 9112, section 2.3).
    refused("SourceOfIcecast", "SOURCE /a ICE/1.0" + host_and_end),
    refused("OptionsOfRtsp", "OPTIONS /a RTSP/1.0" + host_and_end),
    refused("SimpleRequest", "GET /a\r\n\r\n"),
    refused("FullRequestOf09", "GET /a HTTP/0.9\r\n\r\n", 505),
    refused("FullRequestOf2", "GET /a HTTP/2.0" + host_and_end, 505),
    // Unknown codings are 501 also before chunked (RFC 9112, section 6.1).
    refused("DeflateThenChunked",
            put + "Transfer-Encoding: deflate, chunked\r\n\r\n" + hello + last, 501),
    refused("DeflateThenChunkedInTwoFields",
            put + "Transfer-Encoding: deflate\r\nTransfer-Encoding: chunked\r\n\r\n" + hello + last,
            501),
    // A Host is checked, and must be there (RFC 9112, section 3.2); ours has no sub-delims.
    refused("HostMissing", "GET /a HTTP/1.1\r\nX: y\r\n\r\n"),
    refused("HostWithEqualsSign", "GET /a HTTP/1.1\r\nHost: 0.0.0.0=5000\r\n\r\n"),
    // No fragment is part of a target (RFC 9112, section 3.2), no user of an authority (RFC 9110,
    // section 4.2.4), and an address has no zone for anybody else (RFC 6874, section 1).
    bad_target("FragmentOfPage", "/a?page=1#posts-17408"),
    bad_target("UserAndPassword", "http://a%12:b!&*$@a/toto"),
    bad_target("AddressWithZone", "http://[fe80::a%25eth0]/"),
    bad_target("QueryWithoutPath", "http://a?hail=all"),
};

TENON_CORPUS(RefusedByBoth, refused_by_both);
TENON_CORPUS(RefusedByTheOther, refused_by_the_other);
TENON_CORPUS(RefusedByUs, refused_by_us);

}  // namespace
}  // namespace tenon::http::test::corpus

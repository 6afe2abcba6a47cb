// Request lines, targets and fields: what is no valid head (RFC 9110 and RFC 9112, sections 2 to
// 5).

#include "corpus.hpp"

namespace tenon::http::test::corpus {
namespace {

const std::string rest = "\r\nHost: a\r\n\r\n";

const std::vector<Case> lines{
    served("Get", get + "\r\n"),
    served("OnAWorker", "GET /worker HTTP/1.1" + rest, {"GET /worker"}),
    served("Head", "HEAD /a HTTP/1.1" + rest, {"HEAD /a"}),
    served("UnknownMethod", "BREW /a HTTP/1.1" + rest, {"BREW /a"}),
    served("EmptyLineBefore", "\r\n" + get + "\r\n"),
    {"UnknownPath", "GET /nowhere HTTP/1.1" + rest, {404}, false, {"GET /nowhere"}},
    refused("TwoEmptyLinesBefore", "\r\n\r\n" + get + "\r\n"),
    refused("SpaceBefore", " GET /a HTTP/1.1" + rest),
    refused("ByteOrderMark", "\xEF\xBB\xBFGET /a HTTP/1.1" + rest),
    refused("TwoSpacesAfterMethod", "GET  /a HTTP/1.1" + rest),
    refused("TwoSpacesAfterTarget", "GET /a  HTTP/1.1" + rest),
    refused("TabAfterMethod", "GET\t/a HTTP/1.1" + rest),
    refused("SpaceAfterVersion", "GET /a HTTP/1.1 " + rest),
    refused("NoMethod", "/a HTTP/1.1" + rest),
    refused("NoTarget", "GET HTTP/1.1" + rest),
    refused("EmptyTarget", "GET  HTTP/1.1" + rest),
    refused("MethodWithColon", "GET: /a HTTP/1.1" + rest),
    refused("MethodWithNul", std::string("GE\0T", 4) + " /a HTTP/1.1" + rest),
    refused("SpaceInTarget", "GET /a b HTTP/1.1" + rest),
    refused("NotHttp", "EHLO example.org\r\n"),
    refused("Garbage", "\x01\x02\x03\x04\r\n\r\n"),

    // Versions (RFC 9112, section 2.3).
    refused("NoVersion", "GET /a" + rest),
    refused("VersionInSmallLetters", "GET /a http/1.1" + rest),
    refused("VersionWithoutMinor", "GET /a HTTP/1" + rest),
    refused("VersionWithComma", "GET /a HTTP/1,1" + rest),
    refused("VersionOfTwoDigits", "GET /a HTTP/1.10" + rest),
    refused("VersionWithLeadingZero", "GET /a HTTP/01.1" + rest),
    refused("Version09", "GET /a HTTP/0.9" + rest, 505),
    refused("Version12", "GET /a HTTP/1.2" + rest, 505),
    refused("Version2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
    refused("Version3", "GET /a HTTP/3.0" + rest, 505),
    refused("VersionWithoutMethodOf09", "GET /a\r\n"),
};

const std::vector<Case> targets{
    served("AbsoluteForm", "GET http://a/a HTTP/1.1" + rest),
    served("AbsoluteFormInCapitals", "GET http://A/a HTTP/1.1" + rest),
    served("AbsoluteFormWithoutPath", "GET http://a HTTP/1.1" + rest, {"GET /"}),
    served("AbsoluteFormWithPort", "GET http://a:80/a HTTP/1.1\r\nHost: a:80\r\n\r\n"),
    served("Query", "GET /a?b=c&d[]=%00%zz/../e?f HTTP/1.1" + rest),
    served("EncodedPath", "GET /%61 HTTP/1.1" + rest),
    {"OptionsAsterisk", "OPTIONS * HTTP/1.1" + rest, {204}, false, none},
    refused("Connect", "CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n", 501),
    refused("AuthorityFormOfGet", "GET a:443 HTTP/1.1" + rest),
    refused("AsteriskOfGet", "GET * HTTP/1.1" + rest),
    bad_target("RelativePath", "a"),
    bad_target("OtherScheme", "ftp://a/a"),
    bad_target("OtherHost", "http://b/a"),
    bad_target("OtherPort", "http://a:81/a"),
    bad_target("NoHostInTarget", "http:///a"),
    bad_target("QueryWithoutPath", "http://a?b"),
    bad_target("UserInTarget", "http://u:p@a/a"),
    bad_target("DotDot", "/a/../b"),
    bad_target("DotDotAtTheEnd", "/a/.."),
    bad_target("Dot", "/./a"),
    bad_target("EncodedDotDot", "/%2e%2E/b"),
    bad_target("HalfEncodedDotDot", "/.%2e/b"),
    bad_target("EncodedSlash", "/a%2fb"),
    bad_target("EncodedNul", "/a%00"),
    bad_target("EncodedLineEnd", "/a%0d%0aX:y"),
    bad_target("EncodedDelete", "/a%7f"),
    bad_target("HalfEscape", "/a%2"),
    bad_target("NoEscape", "/a%zz"),
    bad_target("OverlongUtf8", "/%c0%ae"),
    bad_target("SurrogateInUtf8", "/%ed%a0%80"),
    bad_target("HalfUtf8", "/%c3"),
    bad_target("RawUtf8", "/\xC3\xA4"),
    bad_target("Fragment", "/a#b"),
    bad_target("TabInTarget", "/a\tb"),
    bad_target("FormFeedInTarget",
               "/a\x0C"
               "b"),
    bad_target("NulInTarget", std::string("/a\0b", 4)),
    bad_target("DeleteInTarget", "/a\x7F"),
};

const std::vector<Case> fields{
    served("ManySpaces", "GET /a HTTP/1.1\r\nHost: \t a \t\r\nX:\r\nY: \r\n\r\n"),
    served("HostInCapitals", "GET /a HTTP/1.1\r\nHOST: A.EXAMPLE:8080\r\n\r\n"),
    served("HostOfIpv6", "GET /a HTTP/1.1\r\nHost: [::1]:8080\r\n\r\n"),
    served("BytesAbove127InAValue", get + "X: \xC3\xA4 \xFF\r\n\r\n"),
    served("EveryLetterOfAToken", get + "!#$%&'*+-.^_`|~09azAZ: x\r\n\r\n"),
    refused("NoHost", "GET /a HTTP/1.1\r\n\r\n"),
    refused("TwoHosts", get + "Host: b\r\n\r\n"),
    refused("TwoEqualHosts", get + "Host: a\r\n\r\n"),
    refused("EmptyHost", "GET /a HTTP/1.1\r\nHost:\r\n\r\n"),
    refused("HostWithPath", "GET /a HTTP/1.1\r\nHost: a/b\r\n\r\n"),
    refused("HostWithUser", "GET /a HTTP/1.1\r\nHost: u@a\r\n\r\n"),
    refused("HostList", "GET /a HTTP/1.1\r\nHost: a, b\r\n\r\n"),
    refused("HostWithSpace", "GET /a HTTP/1.1\r\nHost: a b\r\n\r\n"),
    refused("HostWithBadPort", "GET /a HTTP/1.1\r\nHost: a:65536\r\n\r\n"),
    refused("HostWithOpenBracket", "GET /a HTTP/1.1\r\nHost: [::1\r\n\r\n"),
    refused("SpaceBeforeColonOfHost", "GET /a HTTP/1.1\r\nHost : a\r\n\r\n"),
    refused("NoColon", get + "X\r\n\r\n"),
    refused("NoName", get + ": y\r\n\r\n"),
    refused("SpaceInName", get + "X Y: z\r\n\r\n"),
    refused("SeparatorInName", get + "X(Y): z\r\n\r\n"),
    refused("ControlInName", get + "X\x01: y\r\n\r\n"),
    refused("LetterBeyondAsciiInName", get + "\xC3\xA4: y\r\n\r\n"),
    refused("NulInValue", get + std::string("X: y\0z\r\n\r\n", 10)),
    refused("DeleteInValue", get + "X: y\x7Fz\r\n\r\n"),
    refused("EscapeInValue", get + "X: \x1B[2J\r\n\r\n"),
    refused("BackspaceInValue", get + "X: y\x08\r\n\r\n"),
    refused("FoldedLine", get + "X: y\r\n z\r\n\r\n"),
    refused("FoldedWithTab", get + "X: y\r\n\tz\r\n\r\n"),
    refused("LineOfOnlySpace", get + " \r\n\r\n"),
    refused("BareCrInValue", get + "X: y\rz\r\n\r\n"),
    refused("CrCrLf", get + "X: y\r\r\n\r\n"),
    refused("LfCr", get + "X: y\n\r\n\r\n"),
    refused("ConnectionIsNoList", get + "Connection: keep\x01"
                                        "alive\r\n\r\n"),
    refused("TwoContentTypes", post + "Content-Type: a/b\r\nContent-Type: c/d\r\n\r\n"),
    refused("TwoAuthorizations", get + "Authorization: a\r\nAuthorization: b\r\n\r\n"),
};

TENON_CORPUS(Line, lines);
TENON_CORPUS(Target, targets);
TENON_CORPUS(Field, fields);

}  // namespace
}  // namespace tenon::http::test::corpus

// Framing and smuggling: two readers of these bytes could see two different requests, so one is
// seen or none, and never "/smuggled" (RFC 9112, sections 6, 7 and 11.2).

#include "corpus.hpp"

namespace tenon::http::test::corpus {
namespace {

// 35 bytes, the size of `second`.
const std::string length = "Content-Length: 35\r\n";
const std::string coding = "Transfer-Encoding: chunked\r\n";
const std::string last_chunk = "0\r\n\r\n";

const std::vector<Case> framings{
    served("Length", post + "Content-Length: 5\r\n\r\nhello", one_post),
    served("LengthOfZero", post + "Content-Length: 0\r\n\r\n", one_post),
    served("LengthWithLeadingZeros", post + "Content-Length: 0005\r\n\r\nhello", one_post),
    served("LengthInSpaces", post + "Content-Length: \t 5 \t\r\n\r\nhello", one_post),
    served("NoLengthIsNoBody", post + "\r\n", one_post),
    served("Chunks", chunked + "5\r\nhello\r\n0\r\n\r\n", one_post),
    served("ChunksInCapitals",
           post + "TRANSFER-ENCODING: Chunked\r\n\r\nA\r\n0123456789\r\n0\r\n\r\n", one_post),
    served("ChunkSizeWithLeadingZeros", chunked + "00005\r\nhello\r\n000\r\n\r\n", one_post),
    served("ChunkExtensions", chunked + "5;a;b=c;d=\"e f\"\r\nhello\r\n0;g=h\r\n\r\n", one_post),
    served("Trailer", chunked + "5\r\nhello\r\n0\r\nA: b\r\n\r\n", one_post),
    served("BodyThatLooksLikeARequest", post + length + "\r\n" + second, one_post),
    served("ChunkThatLooksLikeARequest", chunked + "23\r\n" + second + "\r\n0\r\n\r\n", one_post),

    // A length and a coding, or two of either.
    refused("LengthAndChunked", post + "Content-Length: 5\r\n" + coding + "\r\n" + last_chunk),
    refused("ChunkedAndLength", post + coding + "Content-Length: 5\r\n\r\n" + last_chunk),
    refused("ChunkedAndLengthOfZero", post + coding + "Content-Length: 0\r\n\r\n" + last_chunk),
    refused("LengthAndOtherCoding", post + "Content-Length: 1\r\nTransfer-Encoding: gzip\r\n\r\n"),
    refused("ChunkedAndLengthOfGet", get + coding + length + "\r\n" + last_chunk),
    refused("DifferentLengths", post + "Content-Length: 0\r\n" + length + "\r\n"),
    refused("EqualLengths", post + "Content-Length: 0\r\nContent-Length: 0\r\n\r\n"),
    refused("LengthsAsList", post + "Content-Length: 0, 35\r\n\r\n"),
    refused("EqualLengthsAsList", post + "Content-Length: 0, 0\r\n\r\n"),
    refused("ChunkedTwice", post + coding + coding + "\r\n" + last_chunk),
    refused("CodingInTwoFields",
            post + coding + "Transfer-Encoding: identity\r\n\r\n" + last_chunk),

    // Lengths that are no number for everybody.
    refused("NegativeLength", post + "Content-Length: -1\r\n\r\n"),
    refused("PlusLength", post + "Content-Length: +0\r\n\r\n"),
    refused("HexLength", post + "Content-Length: 0x23\r\n\r\n"),
    refused("FractionOfLength", post + "Content-Length: 35.0\r\n\r\n"),
    refused("ExponentLength", post + "Content-Length: 3e1\r\n\r\n"),
    refused("QuotedLength", post + "Content-Length: \"35\"\r\n\r\n"),
    refused("LengthWithUnderscore", post + "Content-Length: 3_5\r\n\r\n"),
    refused("LengthWithSpace", post + "Content-Length: 3 5\r\n\r\n"),
    refused("EmptyLength", post + "Content-Length:\r\n\r\n"),
    refused("HugeLength", post + "Content-Length: 18446744073709551616\r\n\r\n"),
    refused("EndlessLength", post + "Content-Length: " + std::string(300, '9') + "\r\n\r\n"),
    refused("LengthInOtherDigits", post + "Content-Length: \xD9\xA3\xD9\xA5\r\n\r\n"),

    // Fields that only some readers take for the framing.
    refused("SpaceBeforeColonOfCoding", post + "Transfer-Encoding : chunked\r\n\r\n" + last_chunk),
    refused("SpaceBeforeColonOfLength", post + "Content-Length : 35\r\n\r\n"),
    refused("TabBeforeColonOfCoding", post + "Transfer-Encoding\t: chunked\r\n\r\n" + last_chunk),
    refused("FoldedCoding", post + "Transfer-Encoding:\r\n chunked\r\n\r\n" + last_chunk),
    refused("CodingAsFoldOfAnother", post + "X: y\r\n " + coding + "\r\n" + last_chunk),
    refused("FoldedLength", post + "X: y\r\n " + length + "\r\n"),
    refused("FirstLineIsFolded", "POST /post HTTP/1.1\r\n " + length + "Host: a\r\n\r\n"),
    refused("CodingAfterVerticalTab", post +
                                          "Transfer-Encoding: \x0B"
                                          "chunked\r\n\r\n" +
                                          last_chunk),
    refused("CodingInOtherLetters", post + "Transfer-\xC3\x8Bncoding: chunked\r\n\r\n"),
    refused("CodingAfterBareLf", "POST /post HTTP/1.1\r\nHost: a\r\nX: y\n" + coding + "\r\n"),
    refused("CodingAfterBareCr", post + "X: y\r" + coding + "\r\n" + last_chunk),
    refused("LengthAfterNul", post + std::string("X: \0", 4) + length + "\r\n"),
    refused("BareLfLines", "POST /post HTTP/1.1\nHost: a\nContent-Length: 35\n\n"),
    refused("BareLfAtTheEnd", post + length + "\n"),
    refused("BareCrAtTheEnd", post + length + "\r\r\n"),
    refused("CodingOn10", "POST /post HTTP/1.0\r\nHost: a\r\n" + coding + "\r\n" + last_chunk),

    // Codings that end who knows where (RFC 9112, section 6.1).
    refused("UnknownCoding", post + "Transfer-Encoding: xchunked\r\n\r\n", 501),
    refused("IdentityCoding", post + "Transfer-Encoding: identity\r\n\r\n", 501),
    refused("CompressedChunks", post + "Transfer-Encoding: gzip, chunked\r\n\r\n", 501),
    refused("ChunkedNotLast", post + "Transfer-Encoding: chunked, gzip\r\n\r\n", 501),
    refused("ChunkedTwiceInAList", post + "Transfer-Encoding: chunked, chunked\r\n\r\n", 501),
    refused("EmptyCoding", post + "Transfer-Encoding:\r\n\r\n", 501),
    refused("CodingWithParameter", post + "Transfer-Encoding: chunked;q=1\r\n\r\n", 501),
    refused("QuotedCoding", post + "Transfer-Encoding: \"chunked\"\r\n\r\n", 501),

    // Chunks.
    bad_body("BareLfChunks", "5\nhello\n0\n\n"),
    bad_body("BareLfAfterChunk", "5\r\nhello\n0\r\n\r\n"),
    bad_body("BareLfInExtension", "5;a=\"\n\"\r\nhello\r\n0\r\n\r\n"),
    bad_body("BareCrAfterChunkSize", "5\r\r;hello\r\n0\r\n\r\n"),
    bad_body("NulInExtension", std::string("5;a=\0\r\n", 7) + "hello\r\n0\r\n\r\n"),
    bad_body("ChunkTooShort", "4\r\nhello\r\n0\r\n\r\n"),
    bad_body("ChunkTooLong", "6\r\nhello\r\n0\r\n\r\n"),
    bad_body("ChunkWithoutItsEnd", "5\r\nhello0\r\n\r\n"),
    bad_body("ChunkSizeSigned", "+5\r\nhello\r\n0\r\n\r\n"),
    bad_body("ChunkSizeNegative", "-5\r\nhello\r\n0\r\n\r\n"),
    bad_body("ChunkSizeWithX", "0x5\r\nhello\r\n0\r\n\r\n"),
    bad_body("ChunkSizeOverflow", "10000000000000005\r\nhello\r\n0\r\n\r\n"),
    bad_body("ChunkSizeOfManyZeros", std::string(5000, '0') + "5\r\nhello\r\n0\r\n\r\n"),
    bad_body("ChunkSizeEmpty", "\r\nhello\r\n0\r\n\r\n"),
    bad_body("ChunkSizeIsNoHex", "g\r\nhello\r\n0\r\n\r\n"),
    bad_body("ChunkSizeWithSpace", "5 \r\nhello\r\n0\r\n\r\n"),
    bad_body("SpaceBeforeChunkSize", " 5\r\nhello\r\n0\r\n\r\n"),
    bad_body("NoLastChunk", "5\r\nhello\r\n\r\n"),
    bad_body("LengthInTrailer", "0\r\n" + length + "\r\n"),
    bad_body("CodingInTrailer", "0\r\n" + coding + "\r\n"),
    bad_body("BareLfInTrailer", "0\r\nA: b\nC: d\r\n\r\n"),
    bad_body("BareLfAfterTrailer", "0\r\nA: b\r\n\n"),
    bad_body("TrailerWithoutColon", "0\r\nGET /smuggled HTTP/1.1\r\n\r\n"),
    bad_body("FoldedTrailer", "0\r\nA: b\r\n c\r\n\r\n"),
};

TENON_CORPUS(Framing, framings);

}  // namespace
}  // namespace tenon::http::test::corpus

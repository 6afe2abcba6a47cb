#include <gtest/gtest.h>

#include "base/ids.hpp"
#include "blobs/image_type.hpp"
#include "blobs/limits.hpp"
#include "blobs/sha256.hpp"
#include "blobs/tests/support.hpp"
#include "blobs/upload_metadata.hpp"

namespace tenon::blobs {
namespace {

using test::code_of;
using namespace std::string_view_literals;

TEST(Sha256Test, GivesTheSameInPiecesAndAtOnce) {
  Sha256 hash;
  hash.add("ab");
  const Sha256 copy = hash;
  hash.add("c");
  EXPECT_EQ(hash.hex(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hash.hex(), base::sha256_hex("abc"));
  EXPECT_EQ(copy.hex(), base::sha256_hex("ab"));
}

TEST(Sha256Test, KnowsWhatMayNameAFile) {
  EXPECT_TRUE(is_blob_id(base::sha256_hex("abc")));
  for (const std::string& bad :
       {std::string(), std::string(63, 'a'), std::string(65, 'a'), std::string(64, 'A'),
        "../" + std::string(61, 'a'), std::string(64, 'g')})
    EXPECT_FALSE(is_blob_id(bad)) << bad;
}

TEST(ImageTypeTest, KnowsImagesByTheirFirstBytes) {
  EXPECT_EQ(image_type_of("\x89PNG\r\n\x1a\n...."sv), "image/png");
  EXPECT_EQ(image_type_of("\xff\xd8\xff\xe0"sv), "image/jpeg");
  EXPECT_EQ(image_type_of("GIF89a.."), "image/gif");
  EXPECT_EQ(image_type_of("RIFF\0\0\0\0WEBPVP8 "sv), "image/webp");
  EXPECT_EQ(image_type_of("\0\0\0\x1c"
                          "ftypavif"sv),
            "image/avif");
}

TEST(ImageTypeTest, TakesNothingElseForAnImage) {
  for (const std::string_view other :
       {""sv, "\x89PNG"sv, "GIF90a"sv, "<svg xmlns='http://www.w3.org/2000/svg'/>"sv, "<html>"sv,
        "RIFF\0\0\0\0WAVEfmt "sv,
        "\0\0\0\x1c"
        "ftypisom"sv,
        " GIF89a"sv, "BM"sv})
    EXPECT_EQ(image_type_of(other), "") << other;
}

TEST(UploadMetadataTest, ReadsTheName) {
  EXPECT_EQ(parse_upload_metadata("").name, "");
  EXPECT_EQ(parse_upload_metadata("filename d29ybGQudHh0").name, "world.txt");
  EXPECT_EQ(parse_upload_metadata("is_secret,filename d29ybGQudHh0,filetype dGV4dC9wbGFpbg==").name,
            "world.txt");
  EXPECT_EQ(parse_upload_metadata("name d29ybGQ=").name, "world");
  EXPECT_EQ(parse_upload_metadata("name YQ==, filename Yg==").name, "b");
  EXPECT_EQ(parse_upload_metadata("filename Yg==,name YQ==").name, "b");
  EXPECT_EQ(parse_upload_metadata("filename w6QuICI=").name, "ä. \"");
}

TEST(UploadMetadataTest, RefusesWhatIsWrong) {
  const std::string keys = [] {
    std::string text = "k0";
    for (int i = 1; i <= 16; ++i)
      text += ",k" + std::to_string(i);
    return text;
  }();
  for (const std::string& bad :
       {std::string("filename d29ybG"), std::string("filename ####"), std::string(","),
        std::string("a,"), std::string(",a"), std::string("a,a"), std::string("a  YQ=="),
        std::string("k\xc3\xa4y YQ=="), std::string("filename AA=="), std::string("filename /w=="),
        std::string(max_metadata_bytes + 1, 'a'), keys}) {
    EXPECT_EQ(code_of([&] { parse_upload_metadata(bad); }), "400 blobs.bad_metadata") << bad;
  }
  EXPECT_EQ(code_of([] { parse_upload_metadata(std::string(max_metadata_bytes, 'a')); }), "none");
  EXPECT_EQ(code_of([&] { parse_upload_metadata(keys.substr(0, keys.rfind(','))); }), "none");
}

TEST(UploadMetadataTest, BoundsTheName) {
  // Three letters are four of base64.
  const auto field = [](std::size_t letters) {
    std::string text = "filename ";
    for (std::size_t i = 0; i < letters / 3; ++i)
      text += "YWFh";
    return text;
  };
  EXPECT_EQ(parse_upload_metadata(field(255)).name.size(), max_file_name_bytes);
  EXPECT_EQ(code_of([&] { parse_upload_metadata(field(258)); }), "400 blobs.bad_metadata");
}

}  // namespace
}  // namespace tenon::blobs

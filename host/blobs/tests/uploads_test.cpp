#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "base/ids.hpp"
#include "blobs/tests/support.hpp"

namespace tenon::blobs {
namespace {

using test::BlobStorage;
using test::code_of;
using test::day_ms;

class UploadsTest : public data::test::EachEngine {};

TEST_P(UploadsTest, GrowInPiecesIntoABlob) {
  BlobStorage storage;
  const Upload upload = storage.begin(10);
  EXPECT_EQ(upload.offset, 0U);
  EXPECT_EQ(upload.expires_ms, storage.now + day_ms);
  EXPECT_EQ(storage.append(upload.id, 0, "01234").offset, 5U);
  EXPECT_EQ(storage.uploads->find("notes", "ada", upload.id).offset, 5U);
  const Upload done = storage.append(upload.id, 5, "56789");
  ASSERT_TRUE(done.blob);
  EXPECT_EQ(done.blob->id, base::sha256_hex("0123456789"));
  EXPECT_EQ(storage.content(done.blob->id), "0123456789");
  EXPECT_EQ(storage.files(), 1U);
  EXPECT_EQ(storage.blobs->used("notes"), 10U);
  // It can still be asked for, and sending nothing more is no mistake.
  const Upload found = storage.uploads->find("notes", "ada", upload.id);
  EXPECT_EQ(found.blob->id, done.blob->id);
  EXPECT_EQ(found.offset, 10U);
  EXPECT_EQ(storage.uploads->append("notes", "ada", upload.id, 10, {})->end().blob->id,
            done.blob->id);
}

TEST_P(UploadsTest, OfNothingAreDoneAtOnce) {
  BlobStorage storage;
  const Upload upload = storage.begin(0);
  EXPECT_EQ(storage.append(upload.id, 0, "").blob->id, base::sha256_hex(""));
}

TEST_P(UploadsTest, BelongToTheirUserAndPlugin) {
  BlobStorage storage;
  const Upload upload = storage.begin(10);
  EXPECT_EQ(code_of([&] { storage.uploads->find("notes", "bob", upload.id); }),
            "404 blobs.no_upload");
  EXPECT_EQ(code_of([&] { storage.uploads->find("tasks", "ada", upload.id); }),
            "404 blobs.no_upload");
  EXPECT_EQ(code_of([&] { storage.append(upload.id, 0, "x", "bob"); }), "404 blobs.no_upload");
  EXPECT_EQ(code_of([&] { storage.uploads->remove("notes", "bob", upload.id); }),
            "404 blobs.no_upload");
  EXPECT_EQ(code_of([&] { storage.uploads->find("notes", "ada", "../../tenon.db"); }),
            "404 blobs.no_upload");
}

TEST_P(UploadsTest, ContinueOnlyAtTheirOffset) {
  BlobStorage storage;
  const Upload upload = storage.begin(10);
  storage.append(upload.id, 0, "01234");
  EXPECT_EQ(code_of([&] { storage.append(upload.id, 0, "0"); }), "409 blobs.wrong_offset");
  EXPECT_EQ(code_of([&] { storage.append(upload.id, 6, "6"); }), "409 blobs.wrong_offset");
  EXPECT_EQ(code_of([&] { storage.append(upload.id, 5, "567890"); }), "413 blobs.too_long");
  EXPECT_EQ(storage.uploads->find("notes", "ada", upload.id).offset, 5U);
}

TEST_P(UploadsTest, OneSessionAtATime) {
  BlobStorage storage;
  const Upload upload = storage.begin(10);
  const auto session = storage.uploads->append("notes", "ada", upload.id, 0, {});
  session->write("012");
  EXPECT_EQ(code_of([&] { storage.append(upload.id, 3, "3"); }), "423 blobs.upload_busy");
  EXPECT_EQ(code_of([&] { storage.uploads->remove("notes", "ada", upload.id); }),
            "423 blobs.upload_busy");
  storage.now += 2 * day_ms;
  EXPECT_EQ(storage.uploads->sweep(), 0U);
}

TEST_P(UploadsTest, KeepWhatCameBeforeTheyBrokeOff) {
  BlobStorage storage;
  const Upload upload = storage.begin(10);
  storage.uploads->append("notes", "ada", upload.id, 0, {})->write("0123");
  EXPECT_EQ(storage.uploads->find("notes", "ada", upload.id).offset, 4U);
  EXPECT_EQ(storage.append(upload.id, 4, "456789").blob->id, base::sha256_hex("0123456789"));
}

TEST_P(UploadsTest, SurviveARestart) {
  BlobStorage storage;
  const Upload upload = storage.begin(1'000'000);
  const std::string half(500'000, 'h');
  storage.append(upload.id, 0, half);
  storage.restart();
  EXPECT_EQ(storage.blobs->used("notes"), 1'000'000U);
  EXPECT_EQ(storage.uploads->find("notes", "ada", upload.id).offset, 500'000U);
  EXPECT_EQ(storage.append(upload.id, 500'000, half).blob->id, base::sha256_hex(half + half));
  storage.restart();
  EXPECT_EQ(storage.blobs->used("notes"), 1'000'000U);
  EXPECT_TRUE(storage.uploads->find("notes", "ada", upload.id).blob);
}

// After a loss of power what was not synced may read as zeros, however long the file is.
TEST_P(UploadsTest, ReturnToTheSyncedLengthAfterReboot) {
  BlobStorage storage;
  const Upload upload = storage.begin(10);
  storage.append(upload.id, 0, "01234");
  std::ofstream(storage.folder + "/blobs/notes/uploads/" + upload.id, std::ios::app)
      << std::string(3, '\0');
  EXPECT_EQ(storage.uploads->find("notes", "ada", upload.id).offset, 8U);
  storage.restart("another boot");
  EXPECT_EQ(storage.uploads->find("notes", "ada", upload.id).offset, 5U);
  EXPECT_EQ(storage.append(upload.id, 5, "567").offset, 8U);
  EXPECT_EQ(storage.append(upload.id, 8, "89").blob->id, base::sha256_hex("0123456789"));
}

TEST_P(UploadsTest, AreFinishedAfterACrashBeforeTheBlob) {
  BlobStorage storage;
  const Upload upload = storage.begin(4);
  storage.uploads->append("notes", "ada", upload.id, 0, {})->write("0123");
  storage.restart();
  const Upload found = storage.uploads->find("notes", "ada", upload.id);
  EXPECT_EQ(found.offset, 4U);
  EXPECT_FALSE(found.blob);
  EXPECT_EQ(storage.append(upload.id, 4, "").blob->id, base::sha256_hex("0123"));
}

TEST_P(UploadsTest, OfStoredContentTakeNoMoreSpace) {
  BlobStorage storage;
  storage.put("same");
  const Upload upload = storage.begin(4);
  EXPECT_EQ(storage.blobs->used("notes"), 8U);
  storage.append(upload.id, 0, "same");
  EXPECT_EQ(storage.blobs->used("notes"), 4U);
  EXPECT_EQ(storage.files(), 1U);
}

TEST_P(UploadsTest, CanBeRemoved) {
  BlobStorage storage;
  const Upload upload = storage.begin(10);
  storage.append(upload.id, 0, "01234");
  storage.uploads->remove("notes", "ada", upload.id);
  EXPECT_EQ(code_of([&] { storage.uploads->find("notes", "ada", upload.id); }),
            "404 blobs.no_upload");
  EXPECT_EQ(storage.files(), 0U);
  EXPECT_EQ(storage.blobs->used("notes"), 0U);
  // The blob of a finished one stays.
  const Upload other = storage.begin(1);
  const std::string id = storage.append(other.id, 0, "x").blob->id;
  storage.uploads->remove("notes", "ada", other.id);
  EXPECT_EQ(storage.content(id), "x");
  EXPECT_EQ(storage.blobs->used("notes"), 1U);
}

TEST_P(UploadsTest, Expire) {
  BlobStorage storage;
  const Upload upload = storage.begin(10);
  storage.append(upload.id, 0, "01234");
  storage.now += day_ms - 1;
  EXPECT_EQ(storage.uploads->sweep(), 0U);
  EXPECT_EQ(storage.uploads->find("notes", "ada", upload.id).offset, 5U);
  storage.now += 1;
  EXPECT_EQ(code_of([&] { storage.uploads->find("notes", "ada", upload.id); }),
            "404 blobs.no_upload");
  EXPECT_EQ(storage.uploads->sweep(), 1U);
  EXPECT_EQ(storage.files(), 0U);
  EXPECT_EQ(storage.blobs->used("notes"), 0U);
}

TEST_P(UploadsTest, LimitCountSizeAndSpaceOfAUser) {
  BlobStorage storage({.blob = 100,
                       .plugin = 250,
                       .uploads = 2,
                       .grace_period = {},
                       .upload = std::chrono::hours(1)});
  EXPECT_EQ(code_of([&] { storage.begin(101); }), "413 blobs.too_large");
  const Upload first = storage.begin(100);
  storage.begin(100);
  EXPECT_EQ(code_of([&] { storage.begin(1); }), "429 blobs.too_many_uploads");
  EXPECT_EQ(code_of([&] { storage.begin(51, "bob"); }), "507 blobs.quota");
  storage.begin(50, "bob");
  EXPECT_EQ(storage.files(), 3U);
  storage.append(first.id, 0, std::string(100, 'x'));
  EXPECT_EQ(code_of([&] { storage.begin(1); }), "507 blobs.quota");
}

TEST_P(UploadsTest, OfAnotherTypeAreRefusedAndGone) {
  BlobStorage storage;
  const std::string png("\x89PNG\r\n\x1a\n", 8);
  const Upload good = storage.begin(8);
  EXPECT_EQ(storage.append(good.id, 0, png, "ada", {"image/gif", "image/png"}).blob->type,
            "image/png");
  const Upload bad = storage.begin(8);
  EXPECT_EQ(code_of([&] { storage.append(bad.id, 0, "<script>", "ada", {"image/png"}); }),
            "415 blobs.type_refused");
  EXPECT_EQ(code_of([&] { storage.uploads->find("notes", "ada", bad.id); }), "404 blobs.no_upload");
  EXPECT_EQ(storage.files(), 1U);
  EXPECT_EQ(storage.blobs->used("notes"), 8U);
}

TEST_P(UploadsTest, RecordWhoUploadedAContent) {
  BlobStorage storage;
  const Upload upload = storage.begin(1);
  const std::string id = storage.append(upload.id, 0, "x").blob->id;
  EXPECT_TRUE(storage.uploads->has_uploaded("notes", "ada", id));
  EXPECT_FALSE(storage.uploads->has_uploaded("notes", "bob", id));
  EXPECT_FALSE(storage.uploads->has_uploaded("tasks", "ada", id));
  storage.now += day_ms;
  EXPECT_FALSE(storage.uploads->has_uploaded("notes", "ada", id));
}

TEST_P(UploadsTest, RemoveDraftsWithoutARowAtStart) {
  BlobStorage storage;
  const Upload upload = storage.begin(10);
  std::ofstream(storage.folder + "/blobs/notes/uploads/" + base::new_id()) << "left";
  storage.restart();
  EXPECT_EQ(storage.files(), 1U);
  EXPECT_EQ(storage.uploads->find("notes", "ada", upload.id).offset, 0U);
}

TENON_ON_BOTH_ENGINES(UploadsTest);

}  // namespace
}  // namespace tenon::blobs

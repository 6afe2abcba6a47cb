#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "base/ids.hpp"
#include "blobs/tests/support.hpp"

namespace tenon::blobs {
namespace {

using test::code_of;
using test::day_ms;
using test::Room;

class UploadsTest : public data::test::EachEngine {};

TEST_P(UploadsTest, GrowInPiecesIntoABlob) {
  Room room;
  const Upload upload = room.begin(10);
  EXPECT_EQ(upload.offset, 0U);
  EXPECT_EQ(upload.expires_ms, room.now + day_ms);
  EXPECT_EQ(room.append(upload.id, 0, "01234").offset, 5U);
  EXPECT_EQ(room.uploads->find("notes", "ada", upload.id).offset, 5U);
  const Upload done = room.append(upload.id, 5, "56789");
  ASSERT_TRUE(done.blob);
  EXPECT_EQ(done.blob->id, base::sha256_hex("0123456789"));
  EXPECT_EQ(room.content(done.blob->id), "0123456789");
  EXPECT_EQ(room.files(), 1U);
  EXPECT_EQ(room.blobs->used("notes"), 10U);
  // It can still be asked for, and sending nothing more is no mistake.
  const Upload found = room.uploads->find("notes", "ada", upload.id);
  EXPECT_EQ(found.blob->id, done.blob->id);
  EXPECT_EQ(found.offset, 10U);
  EXPECT_EQ(room.uploads->append("notes", "ada", upload.id, 10, {})->end().blob->id, done.blob->id);
}

TEST_P(UploadsTest, OfNothingAreDoneAtOnce) {
  Room room;
  const Upload upload = room.begin(0);
  EXPECT_EQ(room.append(upload.id, 0, "").blob->id, base::sha256_hex(""));
}

TEST_P(UploadsTest, BelongToTheirUserAndPlugin) {
  Room room;
  const Upload upload = room.begin(10);
  EXPECT_EQ(code_of([&] { room.uploads->find("notes", "bob", upload.id); }), "404 blobs.no_upload");
  EXPECT_EQ(code_of([&] { room.uploads->find("tasks", "ada", upload.id); }), "404 blobs.no_upload");
  EXPECT_EQ(code_of([&] { room.append(upload.id, 0, "x", "bob"); }), "404 blobs.no_upload");
  EXPECT_EQ(code_of([&] { room.uploads->remove("notes", "bob", upload.id); }),
            "404 blobs.no_upload");
  EXPECT_EQ(code_of([&] { room.uploads->find("notes", "ada", "../../tenon.db"); }),
            "404 blobs.no_upload");
}

TEST_P(UploadsTest, GoOnOnlyWhereTheyStand) {
  Room room;
  const Upload upload = room.begin(10);
  room.append(upload.id, 0, "01234");
  EXPECT_EQ(code_of([&] { room.append(upload.id, 0, "0"); }), "409 blobs.wrong_offset");
  EXPECT_EQ(code_of([&] { room.append(upload.id, 6, "6"); }), "409 blobs.wrong_offset");
  EXPECT_EQ(code_of([&] { room.append(upload.id, 5, "567890"); }), "413 blobs.too_long");
  EXPECT_EQ(room.uploads->find("notes", "ada", upload.id).offset, 5U);
}

TEST_P(UploadsTest, OneSessionAtATime) {
  Room room;
  const Upload upload = room.begin(10);
  const auto session = room.uploads->append("notes", "ada", upload.id, 0, {});
  session->write("012");
  EXPECT_EQ(code_of([&] { room.append(upload.id, 3, "3"); }), "423 blobs.upload_busy");
  EXPECT_EQ(code_of([&] { room.uploads->remove("notes", "ada", upload.id); }),
            "423 blobs.upload_busy");
  room.now += 2 * day_ms;
  EXPECT_EQ(room.uploads->sweep(), 0U);
}

TEST_P(UploadsTest, KeepWhatCameBeforeTheyBrokeOff) {
  Room room;
  const Upload upload = room.begin(10);
  room.uploads->append("notes", "ada", upload.id, 0, {})->write("0123");
  EXPECT_EQ(room.uploads->find("notes", "ada", upload.id).offset, 4U);
  EXPECT_EQ(room.append(upload.id, 4, "456789").blob->id, base::sha256_hex("0123456789"));
}

TEST_P(UploadsTest, SurviveARestart) {
  Room room;
  const Upload upload = room.begin(1'000'000);
  const std::string half(500'000, 'h');
  room.append(upload.id, 0, half);
  room.restart();
  EXPECT_EQ(room.blobs->used("notes"), 1'000'000U);
  EXPECT_EQ(room.uploads->find("notes", "ada", upload.id).offset, 500'000U);
  EXPECT_EQ(room.append(upload.id, 500'000, half).blob->id, base::sha256_hex(half + half));
  room.restart();
  EXPECT_EQ(room.blobs->used("notes"), 1'000'000U);
  EXPECT_TRUE(room.uploads->find("notes", "ada", upload.id).blob);
}

// After a loss of power what was not synced may read as zeros, however long the file is.
TEST_P(UploadsTest, GoBackToWhatIsOnDiskForCertainWhenTheKernelStartedAnew) {
  Room room;
  const Upload upload = room.begin(10);
  room.append(upload.id, 0, "01234");
  std::ofstream(room.folder + "/blobs/notes/uploads/" + upload.id, std::ios::app)
      << std::string(3, '\0');
  EXPECT_EQ(room.uploads->find("notes", "ada", upload.id).offset, 8U);
  room.restart("another boot");
  EXPECT_EQ(room.uploads->find("notes", "ada", upload.id).offset, 5U);
  EXPECT_EQ(room.append(upload.id, 5, "567").offset, 8U);
  EXPECT_EQ(room.append(upload.id, 8, "89").blob->id, base::sha256_hex("0123456789"));
}

TEST_P(UploadsTest, AreFinishedLaterWhenTheProcessEndedBeforeTheBlobWasMade) {
  Room room;
  const Upload upload = room.begin(4);
  room.uploads->append("notes", "ada", upload.id, 0, {})->write("0123");
  room.restart();
  const Upload found = room.uploads->find("notes", "ada", upload.id);
  EXPECT_EQ(found.offset, 4U);
  EXPECT_FALSE(found.blob);
  EXPECT_EQ(room.append(upload.id, 4, "").blob->id, base::sha256_hex("0123"));
}

TEST_P(UploadsTest, OfAContentThatIsThereTakeNoMoreRoom) {
  Room room;
  room.put("same");
  const Upload upload = room.begin(4);
  EXPECT_EQ(room.blobs->used("notes"), 8U);
  room.append(upload.id, 0, "same");
  EXPECT_EQ(room.blobs->used("notes"), 4U);
  EXPECT_EQ(room.files(), 1U);
}

TEST_P(UploadsTest, CanBeRemoved) {
  Room room;
  const Upload upload = room.begin(10);
  room.append(upload.id, 0, "01234");
  room.uploads->remove("notes", "ada", upload.id);
  EXPECT_EQ(code_of([&] { room.uploads->find("notes", "ada", upload.id); }), "404 blobs.no_upload");
  EXPECT_EQ(room.files(), 0U);
  EXPECT_EQ(room.blobs->used("notes"), 0U);
  // The blob of a finished one stays.
  const Upload other = room.begin(1);
  const std::string id = room.append(other.id, 0, "x").blob->id;
  room.uploads->remove("notes", "ada", other.id);
  EXPECT_EQ(room.content(id), "x");
  EXPECT_EQ(room.blobs->used("notes"), 1U);
}

TEST_P(UploadsTest, Expire) {
  Room room;
  const Upload upload = room.begin(10);
  room.append(upload.id, 0, "01234");
  room.now += day_ms - 1;
  EXPECT_EQ(room.uploads->sweep(), 0U);
  EXPECT_EQ(room.uploads->find("notes", "ada", upload.id).offset, 5U);
  room.now += 1;
  EXPECT_EQ(code_of([&] { room.uploads->find("notes", "ada", upload.id); }), "404 blobs.no_upload");
  EXPECT_EQ(room.uploads->sweep(), 1U);
  EXPECT_EQ(room.files(), 0U);
  EXPECT_EQ(room.blobs->used("notes"), 0U);
}

TEST_P(UploadsTest, BoundsTheUnfinishedOnesOfAUserTheirSizeAndTheirRoom) {
  Room room(
      {.blob = 100, .plugin = 250, .uploads = 2, .grace = {}, .upload = std::chrono::hours(1)});
  EXPECT_EQ(code_of([&] { room.begin(101); }), "413 blobs.too_large");
  const Upload first = room.begin(100);
  room.begin(100);
  EXPECT_EQ(code_of([&] { room.begin(1); }), "429 blobs.too_many_uploads");
  EXPECT_EQ(code_of([&] { room.begin(51, "bob"); }), "507 blobs.quota");
  room.begin(50, "bob");
  EXPECT_EQ(room.files(), 3U);
  room.append(first.id, 0, std::string(100, 'x'));
  EXPECT_EQ(code_of([&] { room.begin(1); }), "507 blobs.quota");
}

TEST_P(UploadsTest, OfAnotherTypeAreRefusedAndGone) {
  Room room;
  const std::string png("\x89PNG\r\n\x1a\n", 8);
  const Upload good = room.begin(8);
  EXPECT_EQ(room.append(good.id, 0, png, "ada", {"image/gif", "image/png"}).blob->type,
            "image/png");
  const Upload bad = room.begin(8);
  EXPECT_EQ(code_of([&] { room.append(bad.id, 0, "<script>", "ada", {"image/png"}); }),
            "415 blobs.type_refused");
  EXPECT_EQ(code_of([&] { room.uploads->find("notes", "ada", bad.id); }), "404 blobs.no_upload");
  EXPECT_EQ(room.files(), 1U);
  EXPECT_EQ(room.blobs->used("notes"), 8U);
}

TEST_P(UploadsTest, TellWhoUploadedAContent) {
  Room room;
  const Upload upload = room.begin(1);
  const std::string id = room.append(upload.id, 0, "x").blob->id;
  EXPECT_TRUE(room.uploads->has_uploaded("notes", "ada", id));
  EXPECT_FALSE(room.uploads->has_uploaded("notes", "bob", id));
  EXPECT_FALSE(room.uploads->has_uploaded("tasks", "ada", id));
  room.now += day_ms;
  EXPECT_FALSE(room.uploads->has_uploaded("notes", "ada", id));
}

TEST_P(UploadsTest, DraftsWithoutARowGoAtTheNextStart) {
  Room room;
  const Upload upload = room.begin(10);
  std::ofstream(room.folder + "/blobs/notes/uploads/" + base::new_id()) << "left";
  room.restart();
  EXPECT_EQ(room.files(), 1U);
  EXPECT_EQ(room.uploads->find("notes", "ada", upload.id).offset, 0U);
}

TENON_ON_BOTH_ENGINES(UploadsTest);

}  // namespace
}  // namespace tenon::blobs

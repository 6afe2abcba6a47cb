#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/ids.hpp"
#include "blobs/keeper.hpp"
#include "blobs/tests/support.hpp"

namespace tenon::blobs {
namespace {

using test::code_of;
using test::day_ms;
using test::Room;

class BlobsTest : public data::test::EachEngine {};
class KeeperTest : public data::test::EachEngine {};

TEST_P(BlobsTest, KeepsWhatIsWrittenUnderItsHash) {
  Room room;
  const auto writer = room.blobs->create("notes");
  writer->write("hel");
  writer->write("lo");
  const Blob blob = writer->finish();
  EXPECT_EQ(blob.id, base::sha256_hex("hello"));
  EXPECT_EQ(blob.bytes, 5U);
  EXPECT_EQ(blob.type, "");
  EXPECT_EQ(blob.created_ms, room.now.load());
  EXPECT_EQ(room.content(blob.id), "hello");
  EXPECT_TRUE(std::filesystem::exists(room.path_of(blob.id)));
  room.restart();
  EXPECT_EQ(room.content(blob.id), "hello");
  EXPECT_EQ(room.files(), 1U);
}

TEST_P(BlobsTest, AnEmptyBlobIsOneToo) {
  Room room;
  const Blob blob = room.blobs->create("notes")->finish();
  EXPECT_EQ(blob.id, base::sha256_hex(""));
  EXPECT_EQ(room.content(blob.id), "");
}

TEST_P(BlobsTest, TheSameContentTwiceIsOneFile) {
  Room room;
  const Blob first = room.put("twice");
  const std::uint64_t used = room.blobs->used("notes");
  EXPECT_EQ(room.put("twice").id, first.id);
  EXPECT_EQ(room.files(), 1U);
  EXPECT_EQ(room.blobs->used("notes"), used);
}

TEST_P(BlobsTest, WritingAgainMendsADamagedFile) {
  Room room;
  const Blob blob = room.put("whole");
  std::ofstream(room.path_of(blob.id)) << "brok";
  EXPECT_EQ(code_of([&] { room.blobs->open("notes", blob.id); }), "503 blobs.damaged");
  room.put("whole");
  EXPECT_EQ(room.content(blob.id), "whole");
  std::filesystem::remove(room.path_of(blob.id));
  EXPECT_EQ(code_of([&] { room.blobs->open("notes", blob.id); }), "503 blobs.damaged");
}

TEST_P(BlobsTest, APluginReachesItsOwnOnly) {
  Room room;
  const Blob blob = room.put("mine", "notes");
  EXPECT_FALSE(room.blobs->find("tasks", blob.id));
  EXPECT_EQ(code_of([&] { room.blobs->open("tasks", blob.id); }), "404 blobs.not_found");
  EXPECT_EQ(code_of([&] { room.blobs->claim("tasks", blob.id, "a"); }), "404 blobs.not_found");
  room.put("mine", "tasks");
  EXPECT_EQ(room.files(), 2U);
  room.blobs->claim("tasks", blob.id, "a");
  room.now += day_ms + 1;
  EXPECT_EQ(room.blobs->sweep(), 1U);
  EXPECT_FALSE(room.blobs->find("notes", blob.id));
  EXPECT_TRUE(room.blobs->find("tasks", blob.id));
}

TEST_P(BlobsTest, WhatIsNoIdReachesNoFile) {
  Room room;
  room.put("x");
  for (const std::string& bad :
       {std::string("../../tenon.db"), std::string(), std::string(64, '/')}) {
    EXPECT_FALSE(room.blobs->find("notes", bad));
    EXPECT_EQ(code_of([&] { room.blobs->open("notes", bad); }), "404 blobs.not_found");
    EXPECT_EQ(code_of([&] { room.blobs->claim("notes", bad, "a"); }), "404 blobs.not_found");
  }
}

TEST_P(BlobsTest, UnclaimedBlobsGoAfterTheGraceAndClaimedOnesNever) {
  Room room;
  const Blob claimed = room.put("claimed");
  const Blob unclaimed = room.put("unclaimed");
  room.blobs->claim("notes", claimed.id, "notes/1");
  room.blobs->claim("notes", claimed.id, "notes/1");
  room.blobs->claim("notes", claimed.id, "notes/2");
  EXPECT_EQ(room.blobs->find("notes", claimed.id)->claims, 2U);
  room.now += day_ms;
  EXPECT_EQ(room.blobs->sweep(), 0U);
  room.now += 1;
  EXPECT_EQ(room.blobs->sweep(), 1U);
  EXPECT_FALSE(room.blobs->find("notes", unclaimed.id));
  EXPECT_FALSE(std::filesystem::exists(room.path_of(unclaimed.id)));
  room.now += 1000 * day_ms;
  EXPECT_EQ(room.blobs->sweep(), 0U);

  room.blobs->release("notes", claimed.id, "notes/1");
  room.now += 2 * day_ms;
  EXPECT_EQ(room.blobs->sweep(), 0U);
  room.blobs->release("notes", claimed.id, "notes/2");
  EXPECT_EQ(room.blobs->sweep(), 0U) << "the grace begins when the last claim ends";
  room.now += day_ms + 1;
  EXPECT_EQ(room.blobs->sweep(), 1U);
  EXPECT_EQ(room.files(), 0U);
  EXPECT_EQ(room.blobs->used("notes"), 0U);
}

TEST_P(BlobsTest, WritingAgainBeginsTheGraceAnew) {
  Room room;
  const Blob blob = room.put("again");
  room.now += day_ms;
  room.put("again");
  room.now += day_ms;
  EXPECT_EQ(room.blobs->sweep(), 0U);
  EXPECT_EQ(room.content(blob.id), "again");
}

TEST_P(BlobsTest, AKeyReleasesAllItsClaims) {
  Room room;
  const Blob first = room.put("first");
  const Blob second = room.put("second");
  room.blobs->claim("notes", first.id, "notes/1");
  room.blobs->claim("notes", second.id, "notes/1");
  room.blobs->claim("notes", second.id, "notes/2");
  room.blobs->release_all("notes", "notes/1");
  room.blobs->release_all("notes", "notes/1");
  EXPECT_EQ(room.blobs->find("notes", first.id)->claims, 0U);
  EXPECT_EQ(room.blobs->find("notes", second.id)->claims, 1U);
}

TEST_P(BlobsTest, TellsAllThatAPluginClaimsAndTakesAsMuchAtOnce) {
  Room room;
  const std::string one = room.put("one").id;
  const std::string two = room.put("two").id;
  room.put("nobody's");
  room.blobs->claim("tasks", room.put("other", "tasks").id, "a");
  const std::vector<Blobs::Claim> claims{{one, "a"}, {two, "b"}, {one, "c"}};
  room.blobs->claim_all("notes", claims);
  EXPECT_EQ(room.blobs->total_claimed("notes").count, 2U);
  EXPECT_EQ(room.blobs->total_claimed("notes").bytes, 6U);
  EXPECT_EQ(room.blobs->total_claimed("nobody").count, 0U);

  const auto first = room.blobs->all_claims("notes", {}, 2);
  ASSERT_EQ(first.size(), 2U);
  const auto last = room.blobs->all_claims("notes", first.back(), 2);
  ASSERT_EQ(last.size(), 1U);
  EXPECT_EQ(first[0].key + first[1].key + last[0].key, "abc");
  EXPECT_EQ(last[0].blob, one);
  const auto ids = room.blobs->claimed("notes", "", 1);
  ASSERT_EQ(ids.size(), 1U);
  EXPECT_EQ(ids[0], std::min(one, two));
  EXPECT_EQ(room.blobs->claimed("notes", ids[0], 9), std::vector{std::max(one, two)});

  // All or none.
  EXPECT_EQ(code_of([&] {
              room.blobs->claim_all("notes", {{one, "d"}, {std::string(64, '0'), "d"}});
            }),
            "404 blobs.not_found");
  EXPECT_EQ(code_of([&] {
              room.blobs->claim_all("notes", {{one, "d"}, {two, ""}});
            }),
            "422 blobs.key_invalid");
  EXPECT_EQ(room.blobs->all_claims("notes", {}, 9).size(), 3U);
}

TEST_P(BlobsTest, ReleasesLaterWithoutAWait) {
  Room room;
  const std::string one = room.put("one").id;
  const std::string two = room.put("two").id;
  room.blobs->claim("notes", one, "a");
  room.blobs->claim("notes", one, "b");
  room.blobs->claim("notes", two, "a");
  room.blobs->release_later("notes", {{one, "a"}, {two, "a"}, {two, "never"}});
  room.blobs->release_later("notes", {});
  room.database->write([](data::Transaction&) {});  // comes behind it
  EXPECT_EQ(room.blobs->find("notes", one)->claims, 1U);
  EXPECT_EQ(room.blobs->find("notes", two)->claims, 0U);
}

TEST_P(BlobsTest, BoundsKeys) {
  Room room;
  const Blob blob = room.put("x");
  room.blobs->claim("notes", blob.id, std::string(max_key_bytes, 'k'));
  for (const std::string& bad : {std::string(), std::string(max_key_bytes + 1, 'k'),
                                 std::string("a\nb"), std::string("\xff")}) {
    EXPECT_EQ(code_of([&] { room.blobs->claim("notes", blob.id, bad); }), "422 blobs.key_invalid");
    EXPECT_EQ(code_of([&] { room.blobs->release("notes", blob.id, bad); }),
              "422 blobs.key_invalid");
  }
}

TEST_P(BlobsTest, BoundsTheClaimsOfAKey) {
  Room room;
  const Blob blob = room.put("x");
  // As many blobs, without as many syncs.
  room.database->write([&](data::Transaction& transaction) {
    for (std::size_t i = 0; i < max_claims; ++i) {
      const std::string id = base::sha256_hex(std::to_string(i));
      transaction.exec("INSERT INTO blobs_files VALUES ('notes', ?1, 1, '', 0, 0)", {id});
      transaction.exec("INSERT INTO blobs_claims VALUES ('notes', 'many', ?1)", {id});
    }
  });
  EXPECT_EQ(code_of([&] { room.blobs->claim("notes", blob.id, "many"); }),
            "422 blobs.too_many_claims");
  EXPECT_EQ(room.blobs->find("notes", blob.id)->claims, 0U);
}

TEST_P(BlobsTest, BoundsABlobAndThePlugin) {
  Room room({.blob = 10, .plugin = 25, .uploads = 16, .grace = {}, .upload = {}});
  room.put("0123456789");
  EXPECT_EQ(code_of([&] { room.put("0123456789a"); }), "413 blobs.too_large");
  EXPECT_EQ(room.blobs->used("notes"), 10U);
  room.put("abcdefghij");
  EXPECT_EQ(code_of([&] { room.put("ABCDEF"); }), "507 blobs.quota");
  room.put("ABCDE");
  room.put("ABCDE", "tasks");
  room.restart();
  EXPECT_EQ(room.blobs->used("notes"), 25U);
  EXPECT_EQ(code_of([&] { room.put("F"); }), "507 blobs.quota");
  EXPECT_EQ(room.files(), 4U);
  // What was refused left nothing behind, and what is swept makes room.
  room.now += 1;
  EXPECT_EQ(room.blobs->sweep(), 4U);
  room.put("F");
}

TEST_P(BlobsTest, AFailedWriterTakesNoMore) {
  Room room({.blob = 4, .plugin = 100, .uploads = 16, .grace = {}, .upload = {}});
  const auto writer = room.blobs->create("notes");
  writer->write("1234");
  EXPECT_EQ(code_of([&] { writer->write("5"); }), "413 blobs.too_large");
  EXPECT_EQ(code_of([&] { writer->write(""); }), "409 blobs.write_failed");
  EXPECT_EQ(code_of([&] { writer->finish(); }), "409 blobs.write_failed");
}

TEST_P(BlobsTest, AbandonedDraftsGoAtOnceAndLeftOnesAtTheNextStart) {
  Room room;
  { room.blobs->create("notes")->write("abandoned"); }
  EXPECT_EQ(room.files(), 0U);
  EXPECT_EQ(room.blobs->used("notes"), 0U);
  std::ofstream(room.folder + "/blobs/notes/tmp/left") << "left";
  room.restart();
  EXPECT_EQ(room.files(), 0U);
}

TEST_P(BlobsTest, StraysAreSweptAndAcknowledgedBlobsAreNot) {
  Room room;
  const Blob blob = room.put("acknowledged");
  const std::string stray = base::sha256_hex("stray");
  std::filesystem::create_directories(room.folder + "/blobs/notes/" + stray.substr(0, 2));
  std::ofstream(room.path_of(stray)) << "stray";
  std::ofstream(room.folder + "/blobs/notes/" + stray.substr(0, 2) + "/README") << "no blob";
  EXPECT_EQ(room.blobs->sweep_strays(), 1U);
  EXPECT_EQ(room.content(blob.id), "acknowledged");
  EXPECT_EQ(room.files(), 2U);
}

TEST_P(BlobsTest, AnOpenBlobStaysReadableWhenItIsSwept) {
  Room room;
  const Blobs::Opened opened = room.blobs->open("notes", room.put("open").id);
  room.now += day_ms + 1;
  EXPECT_EQ(room.blobs->sweep(), 1U);
  std::string text(4, '\0');
  EXPECT_EQ(opened.content->read(0, text.data(), 4), 4U);
  EXPECT_EQ(text, "open");
  EXPECT_EQ(opened.content->read(4, text.data(), 4), 0U);
}

TEST_P(BlobsTest, WritersAndSweepsOfTheSameContentLeaveItWhole) {
  Room room({.blob = 100, .plugin = 1'000'000, .uploads = 1, .grace = {}, .upload = {}});
  std::atomic<bool> is_over{false};
  std::thread sweeper([&] {
    while (!is_over) {
      room.now += 10;
      room.blobs->sweep();
      room.blobs->sweep_strays();
    }
  });
  std::vector<std::thread> writers;
  for (int t = 0; t < 4; ++t) {
    writers.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        const Blob blob = room.put("contended");
        try {
          EXPECT_EQ(room.content(blob.id), "contended");
        } catch (const base::Error& error) {
          EXPECT_EQ(error.code(), "blobs.not_found");
        }
      }
    });
  }
  for (std::thread& writer : writers)
    writer.join();
  is_over = true;
  sweeper.join();
  room.now += 10;
  room.blobs->sweep();
  EXPECT_EQ(room.files(), 0U);
  EXPECT_EQ(room.blobs->used("notes"), 0U);
}

TEST_P(KeeperTest, SweepsByItself) {
  Room room({.blob = 100, .plugin = 1000, .uploads = 4, .grace = {}, .upload = {}});
  room.put("unclaimed");
  const std::string stray = base::sha256_hex("stray");
  std::filesystem::create_directories(room.folder + "/blobs/notes/" + stray.substr(0, 2));
  std::ofstream(room.path_of(stray)) << "stray";
  room.begin(10);
  room.now += 1;
  const Keeper keeper(*room.blobs, *room.uploads);
  while (room.files() != 0)
    std::this_thread::yield();
}

TENON_ON_BOTH_ENGINES(BlobsTest);
TENON_ON_BOTH_ENGINES(KeeperTest);

}  // namespace
}  // namespace tenon::blobs

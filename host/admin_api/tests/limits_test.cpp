#include "http/limits.hpp"

#include <gtest/gtest.h>

#include "config/load.hpp"
#include "http/workers/worker_pool.hpp"
#include "identity/sessions/sessions.hpp"
#include "identity/users/passwords.hpp"

namespace tenon::console {

// The room config may not include the rooms whose defaults it repeats; here both can be seen.
TEST(ConfiguredLimits, DefaultsAreThoseOfTheRooms) {
  const config::Settings settings = config::load(
      {.arguments = {"--data", "/nonexistent"}, .environment = {}, .program_directory = "/"});
  const http::Limits limits;
  EXPECT_EQ(settings.http.target, limits.target);
  EXPECT_EQ(settings.http.head, limits.head);
  EXPECT_EQ(settings.http.fields, limits.fields);
  EXPECT_EQ(settings.http.json_body, limits.json_body);
  EXPECT_EQ(settings.http.body_memory, limits.body_memory);
  EXPECT_EQ(settings.http.json_depth, limits.json_depth);
  EXPECT_EQ(settings.http.head_deadline, limits.head_deadline);
  EXPECT_EQ(settings.http.idle, limits.idle);
  EXPECT_EQ(settings.http.body_rate, limits.body_rate);
  EXPECT_EQ(settings.http.body_window, limits.body_window);
  EXPECT_EQ(settings.http.write_rate, limits.write_rate);
  EXPECT_EQ(settings.http.write_window, limits.write_window);
  EXPECT_EQ(settings.http.handler, limits.handler);
  EXPECT_EQ(settings.http.hold, limits.hold);
  EXPECT_EQ(settings.http.drain, limits.drain);
  EXPECT_EQ(settings.http.linger, limits.linger);
  EXPECT_EQ(settings.http.write_buffer, limits.write_buffer);
  EXPECT_EQ(settings.http.event_buffer, limits.event_buffer);
  EXPECT_EQ(settings.http.event_keep_alive, limits.event_keep_alive);
  EXPECT_EQ(settings.http.compress_from, limits.compress_from);
  EXPECT_EQ(settings.http.connections, limits.connections);
  EXPECT_EQ(settings.http.queue, limits.queue);
  EXPECT_EQ(settings.http.share_queue, limits.share_queue);
  EXPECT_EQ(settings.http.pipeline, limits.pipeline);
  EXPECT_EQ(settings.worker_threads, http::WorkerPool::Options{}.threads);
  EXPECT_EQ(settings.login.hashes, identity::Passwords::Options{}.concurrent);
  EXPECT_EQ(settings.login.waiting, identity::Passwords::Options{}.waiting);
  EXPECT_EQ(settings.session.idle, identity::Sessions::Options{}.idle);
  EXPECT_EQ(settings.session.absolute, identity::Sessions::Options{}.absolute);
}

}  // namespace tenon::console

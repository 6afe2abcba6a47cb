#include "identity/sessions/cookie.hpp"

#include <gtest/gtest.h>

namespace tenon::identity {

TEST(Cookie, IsForTheServerAlone) {
  EXPECT_EQ(session_cookie("abc", 60, false),
            "tenon_session=abc; Path=/; HttpOnly; SameSite=Lax; Max-Age=60");
  EXPECT_EQ(session_cookie("abc", 60, true),
            "__Host-tenon_session=abc; Path=/; HttpOnly; SameSite=Lax; Max-Age=60; Secure");
  EXPECT_EQ(expired_session_cookie(false),
            "tenon_session=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0");
}

TEST(Cookie, IsFoundAmongOthers) {
  EXPECT_EQ(session_token("tenon_session=abc", false), "abc");
  EXPECT_EQ(session_token("a=1; tenon_session=abc; b=2", false), "abc");
  EXPECT_EQ(session_token("a=1;tenon_session=abc ;b=2", false), "abc");
  EXPECT_EQ(session_token("tenon_session=", false), "");
  EXPECT_EQ(session_token("", false), "");
  EXPECT_EQ(session_token(";;;", false), "");
  EXPECT_EQ(session_token("tenon_sessions=abc; xtenon_session=d; TENON_SESSION=e", false), "");
}

TEST(Cookie, AcceptsOnlyTheHostCookieOnTls) {
  EXPECT_EQ(session_token("tenon_session=planted; __Host-tenon_session=real", true), "real");
  EXPECT_EQ(session_token("tenon_session=planted", true), "");
  EXPECT_EQ(session_token("__Host-tenon_session=real", false), "");
}

TEST(Cookie, RejectsTwoCookies) {
  EXPECT_EQ(session_token("tenon_session=planted; tenon_session=real", false), "");
  EXPECT_EQ(session_token("tenon_session=same; a=b; tenon_session=same", false), "");
}

}  // namespace tenon::identity

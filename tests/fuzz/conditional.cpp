// If-None-Match, If-Modified-Since, dates and Accept-Encoding. The first line is the file's tag.

#include "http/response/conditional.hpp"

#include "base/clock.hpp"
#include "http/parser/request.hpp"
#include "http/response/compression.hpp"
#include "property.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tenon::http;
  std::string_view text = tenon::fuzz::text_of(data, size);
  const std::string_view opaque = tenon::fuzz::take_line(text);

  if (opaque.find('"') == std::string_view::npos) {
    const std::string strong = '"' + std::string(opaque) + '"';
    const std::string weak = "W/" + strong;
    const bool matches = matches_etag(text, strong, true);
    TENON_HOLDS(matches == matches_etag(text, weak, true));
    TENON_HOLDS(matches || !matches_etag(text, strong, false));
    const bool is_any = text.find('*') != std::string_view::npos;
    TENON_HOLDS(is_any || !matches_etag(text, weak, false));
    TENON_HOLDS(is_any || !matches || text.find(strong) != std::string_view::npos);
    TENON_HOLDS(matches_etag(strong, strong, false) && matches_etag(weak, strong, true));
    const std::string longer = strong + " , " + std::string(text);
    TENON_HOLDS(matches_etag(longer, strong, false));

    const Field fields[] = {{"if-none-match", text}, {"if-modified-since", text}};
    Request request;
    request.fields = fields;
    if (!text.empty()) TENON_HOLDS(is_not_modified(request, strong, 0) == matches);
  }

  const std::int64_t time = tenon::base::parse_http_date(text);
  TENON_HOLDS(time >= -1);
  if (time >= 0) {
    const std::string date = tenon::base::http_date(time);
    TENON_HOLDS(tenon::base::parse_http_date(date) == time);
    const Field field{"if-modified-since", text};
    Request request;
    request.fields = {&field, 1};
    TENON_HOLDS(is_not_modified(request, "", time));
    TENON_HOLDS(!is_not_modified(request, "", time + 1));
  }
  if (accepts_coding(text, "gzip")) {
    TENON_HOLDS(text.find('*') != std::string_view::npos ||
                text.find_first_of("gG") != std::string_view::npos);
  }
  return 0;
}

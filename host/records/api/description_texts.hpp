#pragma once

#include <string_view>

// Constant parts of the description of a table, as JSON.
namespace tenon::records::texts {

inline constexpr std::string_view problem = R"({"$ref":"#/components/responses/problem"})";
inline constexpr std::string_view file_schema =
    R"({"type":"object","description":"A file.","properties":{"id":{"type":"string"},)"
    R"("name":{"type":"string"},"type":{"type":"string","description":"Its media type."},)"
    R"("size":{"type":"integer","description":"Bytes.","minimum":0}},"required":["id"]})";
/// A file in a body, as read_value() takes it.
inline constexpr std::string_view new_file_schema =
    R"({"description":"A finished upload of one's own, or a file that the record has in this field.",)"
    R"("oneOf":[{"type":"object","properties":{"upload":{"type":"string",)"
    R"("description":"The last part of the upload's address.","minLength":1}},"required":["upload"]},)"
    R"({"type":"object","properties":{"id":{"type":"string","minLength":1}},"required":["id"]}]})";
inline constexpr std::string_view id_schema = R"({"type":"string","format":"uuid"})";
inline constexpr std::string_view if_match =
    R"({"name":"If-Match","in":"header","description":"Change it only where it still has this `ETag`.",)"
    R"("schema":{"type":"string"}})";
inline constexpr std::string_view if_none_match =
    R"({"name":"If-None-Match","in":"header","description":"The `ETag` of what is there already.",)"
    R"("schema":{"type":"string"}})";
inline constexpr std::string_view range =
    R"({"name":"Range","in":"header","description":"The bytes that are asked for.",)"
    R"("schema":{"type":"string"},"example":"bytes=0-1023"})";
inline constexpr std::string_view etag_header =
    R"({"description":"Of the record as its reader sees it.","schema":{"type":"string"}})";
inline constexpr std::string_view file_headers =
    R"({"ETag":{"description":"Of the content.","schema":{"type":"string"}},)"
    R"("Content-Disposition":{"description":"Whether it is shown or saved, and its name.","schema":{"type":"string"}}})";
inline constexpr std::string_view file_content =
    R"({"image/*":{"schema":{}},"application/octet-stream":{"schema":{}}})";
/// The matches of `q`; the schema is the host's.
inline constexpr std::string_view highlight = R"({"$ref":"#/components/schemas/core.highlight"})";
/// The data that the plugin adds to records that are read.
inline constexpr std::string_view extra =
    R"({"type":"object","description":"What the plugin adds to a record that is read."})";
/// The data that expand shows of a user.
inline constexpr std::string_view person_schema =
    R"({"type":["object","null"],"properties":{"id":{"type":"string","format":"uuid"},)"
    R"("name":{"type":"string"}},"required":["id","name"],"additionalProperties":false})";

}  // namespace tenon::records::texts

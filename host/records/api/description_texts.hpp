#pragma once

#include <string_view>

// Constant parts of the description of a table, as JSON.
namespace tenon::records::texts {

inline constexpr std::string_view problem = R"({"$ref":"#/components/responses/problem"})";
inline constexpr std::string_view file_schema =
    R"({"type":"object","description":"A file.","properties":{"id":{"type":"string"},)"
    R"("name":{"type":"string"},"type":{"type":"string","description":"Media type."},)"
    R"("size":{"type":"integer","description":"Size in bytes.","minimum":0}},"required":["id"]})";
/// A file in a body, as read_value() takes it.
inline constexpr std::string_view new_file_schema =
    R"({"description":"A finished upload of the user, or a file that the record has in this field.",)"
    R"("oneOf":[{"type":"object","properties":{"upload":{"type":"string",)"
    R"("description":"The last part of the URL of the upload.","minLength":1}},"required":["upload"]},)"
    R"({"type":"object","properties":{"id":{"type":"string","minLength":1}},"required":["id"]}]})";
inline constexpr std::string_view increment_schema =
    R"({"type":"object","description":"Adds to the number of the record, in one step; an empty field counts as 0.",)"
    R"("properties":{"increment":{"type":"number"}},"required":["increment"],"additionalProperties":false})";
inline constexpr std::string_view id_schema = R"({"type":"string","format":"uuid"})";
inline constexpr std::string_view if_match =
    R"({"name":"If-Match","in":"header","description":"Applies the change only if the record still has this `ETag`.",)"
    R"("schema":{"type":"string"}})";
inline constexpr std::string_view if_none_match =
    R"({"name":"If-None-Match","in":"header","description":"The `ETag` of the version in the cache.",)"
    R"("schema":{"type":"string"}})";
inline constexpr std::string_view range =
    R"({"name":"Range","in":"header","description":"The requested bytes.",)"
    R"("schema":{"type":"string"},"example":"bytes=0-1023"})";
inline constexpr std::string_view etag_header =
    R"({"description":"The version of the record as the user sees it.","schema":{"type":"string"}})";
inline constexpr std::string_view file_headers =
    R"({"ETag":{"description":"The version of the content.","schema":{"type":"string"}},)"
    R"("Content-Disposition":{"description":"Whether the browser shows or saves the file, and its name.","schema":{"type":"string"}}})";
inline constexpr std::string_view file_content =
    R"({"image/*":{"schema":{}},"application/octet-stream":{"schema":{}}})";
/// The matches of `q`; the schema is the host's.
inline constexpr std::string_view highlight = R"({"$ref":"#/components/schemas/core.highlight"})";
/// The data that the plugin adds to records that are read.
inline constexpr std::string_view extra =
    R"({"type":"object","description":"Data that the plugin adds to a record in responses."})";
/// The data that expand shows of a user.
inline constexpr std::string_view person_schema =
    R"({"type":["object","null"],"properties":{"id":{"type":"string","format":"uuid"},)"
    R"("name":{"type":"string"}},"required":["id","name"],"additionalProperties":false})";

}  // namespace tenon::records::texts

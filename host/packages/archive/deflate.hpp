#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "packages/archive/zip_form.hpp"

namespace tenon::plugins {

/// Content as an archive stores it.
struct DeflatedContent {
  ZipMethod method;
  std::string bytes;
};

/// Deflates `content`, at most 512 MiB, by zlib at level 9, or stores it if it does not get
/// smaller.
DeflatedContent deflate_content(std::string_view content);

/// Hands the content of an entry to `sink` in pieces of at most 64 KiB, never more than entry.size
/// bytes. Returns why the entry differs from its header; empty if it has exactly this size and CRC,
/// and nothing after the end of the deflated data. Pieces handed on before are wrong then, too.
std::string inflate_entry(const ZipEntry& entry, const std::function<void(std::string_view)>& sink);

}  // namespace tenon::plugins

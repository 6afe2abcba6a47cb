#pragma once

#include <string>
#include <vector>

#include "base/json_writer.hpp"
#include "registry/compatibility.hpp"
#include "registry/downloads.hpp"
#include "registry/install_order.hpp"

namespace tenon::console {

/// {"code","message"}
void write_reason(base::JsonWriter& json, const plugins::Reason& reason);

/// A text, or null for an empty one.
void write_text(base::JsonWriter& json, const char* name, const std::string& text);

/// Members "reasons" and "with"; `offers`, sorted by id, has the names and the installed versions.
void write_offer(base::JsonWriter& json, const plugins::VersionOffer& offer,
                 const std::vector<plugins::PluginOffer>& offers);

/// The members of an item of GET /api/core/registry.
void write_summary(base::JsonWriter& json, const plugins::PluginOffer& plugin,
                   const std::vector<plugins::PluginOffer>& offers);

/// Returns the response of GET /api/core/registry/downloads/{number}.
std::string download_json(const plugins::Download& download);

/// {"steps","reasons"} of `plugin`, in the version of `offer`.
std::string order_json(const plugins::PluginOffer& plugin, const plugins::VersionOffer& offer,
                       const std::vector<plugins::PluginOffer>& offers);

}  // namespace tenon::console

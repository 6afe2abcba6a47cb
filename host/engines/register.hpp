#pragma once

namespace tenon::engines {

/// Registers SQLite and PostgreSQL with the room data, so that a Database can be opened. Call it at
/// the start of main(), before other threads run.
void register_all() noexcept;

}  // namespace tenon::engines

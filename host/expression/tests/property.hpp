#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "expression/tests/engine.hpp"

namespace tenon::expression::test {

/// Makes a world from `seed` in an empty database, then `count` random expressions, and compares
/// what SQL says about every record with what the evaluator says: each condition as it is and under
/// not, each value. Empty when all agree, else the seed and the first difference.
std::string disagreement(TestEngine& engine, std::uint64_t seed, std::size_t count);

}  // namespace tenon::expression::test

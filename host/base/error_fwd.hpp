#pragma once

namespace tenon::base {

class Error;
struct FieldError;

}  // namespace tenon::base

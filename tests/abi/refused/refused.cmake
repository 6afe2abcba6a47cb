# The wrapper refuses mistakes at compile time: the file compiles without one, and with each it does not, for the reason meant.
set(refused_command "${CMAKE_CXX_COMPILER}" -std=c++20 -Wall -Wextra -Werror -fsyntax-only -DTENON_WITHOUT_JSON
  -I "${PROJECT_SOURCE_DIR}/sdk/abi" -I "${PROJECT_SOURCE_DIR}/sdk/cpp" "${CMAKE_CURRENT_SOURCE_DIR}/refused/refused.cpp")
add_test(NAME sdk.refused.nothing COMMAND ${refused_command})
set_tests_properties(sdk.refused.nothing PROPERTIES LABELS compile)
set(mistakes
  "no matching function" "returns a tenon::Response" "takes a const tenon::Request" "the row is gone" "the rows end"
  "no value of a column" "neither a text nor a number" "deleted" "nodiscard")
set(number 0)
foreach(reason IN LISTS mistakes)
  math(EXPR number "${number} + 1")
  add_test(NAME sdk.refused.mistake_${number} COMMAND ${refused_command} -DMISTAKE=${number})
  set_tests_properties(sdk.refused.mistake_${number} PROPERTIES LABELS compile PASS_REGULAR_EXPRESSION "${reason}")
endforeach()

# Mistakes that the compiler must refuse, each for the reason meant: SOURCE, and what its headers need.
function(tenon_refused name source)
  set(all "")
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    set(all -ferror-limit=0)
  endif()
  add_test(NAME ${name} COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tests/abi/refused/refused.py" "${source}"
    "${CMAKE_CXX_COMPILER}" -std=c++20 -Wall -Wextra -Werror -fsyntax-only ${all}
    -I "${PROJECT_SOURCE_DIR}/sdk/abi" -I "${PROJECT_SOURCE_DIR}/sdk/cpp" ${ARGN})
  set_tests_properties(${name} PROPERTIES LABELS compile)
endfunction()

tenon_refused(sdk.refused "${CMAKE_CURRENT_SOURCE_DIR}/refused/refused.cpp" -DTENON_WITHOUT_JSON)

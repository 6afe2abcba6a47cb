# The numbers of the headers, by each compiler in each language.
foreach(compiler IN ITEMS gcc clang)
  add_test(NAME abi.layout.${compiler}.c11
    COMMAND ${compiler} -std=c11 -Wpadded -Wall -Wextra -Wpedantic -Werror -fsyntax-only
      -I "${PROJECT_SOURCE_DIR}/sdk/abi" "${CMAKE_CURRENT_SOURCE_DIR}/layout/layout.c" "${CMAKE_CURRENT_SOURCE_DIR}/layout/constants.c")
  set_tests_properties(abi.layout.${compiler}.c11 PROPERTIES LABELS compile)
endforeach()
foreach(compiler IN ITEMS g++ clang++)
  add_test(NAME abi.layout.${compiler}.cpp20
    COMMAND ${compiler} -std=c++20 -x c++ -Wpadded -Wall -Wextra -Wpedantic -Werror -fsyntax-only
      -I "${PROJECT_SOURCE_DIR}/sdk/abi" "${CMAKE_CURRENT_SOURCE_DIR}/layout/layout.c" "${CMAKE_CURRENT_SOURCE_DIR}/layout/constants.c")
  set_tests_properties(abi.layout.${compiler}.cpp20 PROPERTIES LABELS compile)
endforeach()

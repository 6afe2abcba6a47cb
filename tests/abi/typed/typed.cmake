# A plugin's tables as types: what tenon-tables makes of typed/tables.json, and what becomes of values on their way to the host.
tenon_room_test(sdk_tables SOURCES typed/filter_test.cpp typed/codec_test.cpp LIBS tenon_records tenon_expression Tenon::sdk)
tenon_type_tables(tenon_sdk_tables_test typed typed/tables.json)

# The same in the real host: tests/integration/typed_test.py.
tenon_unity(sources typed typed/typed.cpp typed/query_checks.cpp typed/record_checks.cpp typed/rule_checks.cpp)
tenon_add_plugin(typed SOURCES ${sources}
  MANIFEST typed/plugin.json TABLES typed/tables.json
  OUTPUT "${TENON_TEST_PLUGINS}/typed" NO_INSTALL)
tenon_plugin_pch(typed)

# Mistakes that the compiler must find, and among them a field that is called otherwise now.
set(typed_folder "${CMAKE_CURRENT_BINARY_DIR}/tenon_sdk_tables_test.tenon/include")
set(typed_command "${CMAKE_CXX_COMPILER}" -std=c++20 -Wall -Wextra -Werror -fsyntax-only
  -I "${PROJECT_SOURCE_DIR}/sdk/abi" -I "${PROJECT_SOURCE_DIR}/sdk/cpp"
  "${CMAKE_CURRENT_SOURCE_DIR}/typed/refused.cpp")
add_test(NAME sdk.tables.refused.nothing COMMAND ${typed_command} -I "${typed_folder}")
set_tests_properties(sdk.tables.refused.nothing PROPERTIES LABELS compile)
set(no_operator "no match for|invalid operands")
set(no_function "no matching function")
set(typed_mistakes
  "${no_operator}" "${no_operator}" "${no_operator}" "${no_operator}" "${no_operator}" "${no_operator}" "${no_operator}"
  "could not convert|cannot convert|no viable conversion" "${no_function}|no viable constructor" "${no_function}"
  "missing initializer|missing field" "${no_function}" "${no_function}" "${no_function}")
set(number 0)
foreach(reason IN LISTS typed_mistakes)
  math(EXPR number "${number} + 1")
  add_test(NAME sdk.tables.refused.mistake_${number} COMMAND ${typed_command} -I "${typed_folder}" -DMISTAKE=${number})
  set_tests_properties(sdk.tables.refused.mistake_${number} PROPERTIES LABELS compile PASS_REGULAR_EXPRESSION "${reason}")
endforeach()
add_test(NAME sdk.tables.refused.renamed_field COMMAND "${CMAKE_COMMAND}"
  "-DTOOL=$<TARGET_FILE:Tenon::tables>" "-DTABLES=${CMAKE_CURRENT_SOURCE_DIR}/typed/tables.json"
  "-DFOLDER=${CMAKE_CURRENT_BINARY_DIR}/renamed" "-DCOMPILE=${typed_command}" -P "${CMAKE_CURRENT_SOURCE_DIR}/typed/renamed.cmake")
set_tests_properties(sdk.tables.refused.renamed_field PROPERTIES LABELS compile)

# A plugin's tables as types: what tenon-types makes of typed/tables.json, and what becomes of values on their way to the host.
tenon_room_test(sdk_tables SOURCES typed/filter_test.cpp typed/codec_test.cpp LIBS tenon_records tenon_expression Tenon::sdk)
tenon_type_tables(tenon_sdk_tables_test typed typed/tables.json)

# The same in the real host: tests/integration/records/codegen_test.py.
tenon_unity(sources typed typed/typed.cpp typed/query_checks.cpp typed/record_checks.cpp typed/rule_checks.cpp
  typed/setting_checks.cpp)
tenon_add_plugin(typed SOURCES ${sources}
  MANIFEST typed/plugin.json TABLES typed/tables.json
  OUTPUT "${TENON_TEST_PLUGINS}/typed" NO_INSTALL)
tenon_plugin_pch(typed)

# Mistakes that the compiler must find, and among them a field that is called otherwise now.
tenon_refused(sdk.tables.refused "${CMAKE_CURRENT_SOURCE_DIR}/typed/refused.cpp" -I "${CMAKE_CURRENT_BINARY_DIR}/tenon_sdk_tables_test.tenon/include")
add_test(NAME sdk.tables.refused.renamed_field COMMAND "${CMAKE_COMMAND}"
  "-DTOOL=$<TARGET_FILE:Tenon::types>" "-DTABLES=${CMAKE_CURRENT_SOURCE_DIR}/typed/tables.json"
  "-DFOLDER=${CMAKE_CURRENT_BINARY_DIR}/renamed"
  "-DCOMPILE=${CMAKE_CXX_COMPILER};-std=c++20;-fsyntax-only;-I;${PROJECT_SOURCE_DIR}/sdk/abi;-I;${PROJECT_SOURCE_DIR}/sdk/cpp;${CMAKE_CURRENT_SOURCE_DIR}/typed/refused.cpp"
  -P "${CMAKE_CURRENT_SOURCE_DIR}/typed/renamed.cmake")
set_tests_properties(sdk.tables.refused.renamed_field PROPERTIES LABELS compile)

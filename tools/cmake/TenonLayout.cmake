# Output folders: build/<preset>/ has the shape of an installation (bin, lib/tenon/plugins, share/tenon/ui).
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
set(TENON_PLUGINS_OUT "${PROJECT_BINARY_DIR}/lib/tenon/plugins")
set(TENON_UI_OUT "${PROJECT_BINARY_DIR}/share/tenon/ui")
set(TENON_TEST_BIN "${PROJECT_BINARY_DIR}/tests")
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# Debian 12 packages only; the list is tools/packages.txt, reasons are in docs/decisions/.
find_package(Threads REQUIRED)
find_package(Poco 1.11 REQUIRED COMPONENTS Foundation JSON XML Util Net NetSSL Zip)
find_package(Boost 1.74 REQUIRED COMPONENTS filesystem)
find_package(SQLite3 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(sodium REQUIRED IMPORTED_TARGET GLOBAL libsodium)
pkg_check_modules(libpq REQUIRED IMPORTED_TARGET GLOBAL libpq)
pkg_check_modules(brotlienc REQUIRED IMPORTED_TARGET GLOBAL libbrotlienc)
pkg_check_modules(brotlidec REQUIRED IMPORTED_TARGET GLOBAL libbrotlidec)
# Time zones, from the system's tzdata.
find_package(date REQUIRED)
find_package(GTest REQUIRED)

# Short names, so that rooms do not spell pkg-config's.
add_library(tenon_sodium INTERFACE)
target_link_libraries(tenon_sodium INTERFACE PkgConfig::sodium)
add_library(tenon_brotli INTERFACE)
target_link_libraries(tenon_brotli INTERFACE PkgConfig::brotlienc PkgConfig::brotlidec)
add_library(tenon_libpq INTERFACE)
target_link_libraries(tenon_libpq INTERFACE PkgConfig::libpq)
add_library(tenon::libpq ALIAS tenon_libpq)
# The room data loads it when it is first needed, see host/postgresql/client/libpq.cpp.
add_library(tenon_libpq_headers INTERFACE)
target_include_directories(tenon_libpq_headers SYSTEM INTERFACE
  $<TARGET_PROPERTY:PkgConfig::libpq,INTERFACE_INCLUDE_DIRECTORIES>)
add_library(tenon::libpq_headers ALIAS tenon_libpq_headers)
add_library(tenon::sodium ALIAS tenon_sodium)
add_library(tenon::brotli ALIAS tenon_brotli)

# The libraries that the project needs. scripts/setup installs them.

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(FlatBuffers CONFIG REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(hwy REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(PLIST REQUIRED IMPORTED_TARGET libplist-2.0)
pkg_check_modules(LIBDEFLATE REQUIRED IMPORTED_TARGET libdeflate)

# The allocator of programs that run campaigns, which make and drop many small objects: 8 % of a
# case's time. Optional; sanitizers bring their own.
add_library(anecheck_allocator INTERFACE)
if(NOT APPLE AND NOT ANECHECK_SANITIZE)
  find_package(mimalloc QUIET)
  if(TARGET mimalloc)
    target_link_libraries(anecheck_allocator INTERFACE mimalloc)
    target_compile_definitions(anecheck_allocator INTERFACE ANECHECK_MIMALLOC)
  endif()
endif()

if(ANECHECK_TESTS)
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED)
endif()
if(ANECHECK_BENCHMARKS)
  find_package(benchmark REQUIRED)
  # oneDNN is an optional baseline of oracle_bench alone.
  find_path(ANECHECK_ONEDNN_INCLUDE dnnl.hpp)
  find_library(ANECHECK_ONEDNN_LIBRARY dnnl)
  mark_as_advanced(ANECHECK_ONEDNN_INCLUDE ANECHECK_ONEDNN_LIBRARY)
endif()

#!/bin/bash -eu
# Builds the fuzz targets as ClusterFuzzLite and OSS-Fuzz want them: into $OUT a program
# TARGET_fuzzer each, with its options, dictionary and seed corpus, and the libraries that it needs.
# The base image sets CC, CXX, CFLAGS, CXXFLAGS, LIB_FUZZING_ENGINE, SANITIZER, SRC, WORK and OUT.
# ANECHECK_FUZZ_ONLY names the targets to build, separated by semicolons; without it all are.

project=${SRC:?}/anecheck
work=${WORK:?}/anecheck
: "${OUT:?}" "${LIB_FUZZING_ENGINE:?}"

# The distribution's C++ libraries are built against libstdc++.
export CXXFLAGS="${CXXFLAGS//-stdlib=libc++/}"
if [ "${SANITIZER:-address}" = address ]; then
  # Switches on the law that memory is bounded, which counts through AddressSanitizer.
  CXXFLAGS+=" -DANECHECK_SANITIZED=1"
fi

cmake -S "$project" -B "$work" -G Ninja -DCMAKE_BUILD_TYPE=None \
  -DANECHECK_FUZZERS=ON "-DANECHECK_FUZZING_ENGINE=$LIB_FUZZING_ENGINE" \
  "-DANECHECK_FUZZ_ONLY=${ANECHECK_FUZZ_ONLY:-}" -DANECHECK_WERROR=OFF \
  -DANECHECK_TESTS=OFF -DANECHECK_BENCHMARKS=OFF -DANECHECK_UNITY=ON \
  "-DCMAKE_BUILD_RPATH=\$ORIGIN/lib" -DCMAKE_BUILD_RPATH_USE_ORIGIN=ON
cmake --build "$work" --target anecheck_fuzz_tool
tool=$work/fuzz/anecheck_fuzz_tool
mapfile -t targets < <("$tool" list | cut -f1)
cmake --build "$work" --target "${targets[@]/%/_fuzzer}"

# The image that runs the fuzzers has the C library and no more.
copy_libraries() {
  mkdir -p "$OUT/lib"
  ldd "$1" | awk '$2 == "=>" && $3 ~ /^\// {print $3}' |
    grep -v -E '/(libc|libm|libdl|librt|libpthread|ld-linux[^/]*)\.so' |
    while read -r library; do cp -Lu "$library" "$OUT/lib/"; done
}

for target in "${targets[@]}"; do
  fuzzer=${target}_fuzzer
  cp "$work/fuzzers/$fuzzer" "$OUT/"
  # Of the build folder, where no copies stand beside it.
  copy_libraries "$work/fuzzers/$fuzzer"
  "$tool" dictionary "$target" > "$OUT/$fuzzer.dict"
  {
    printf '[libfuzzer]\nmax_len = 65536\ntimeout = 30\nrss_limit_mb = 2560\n'
    if [ -s "$OUT/$fuzzer.dict" ]; then printf 'dict = %s.dict\n' "$fuzzer"; else rm "$OUT/$fuzzer.dict"; fi
  } > "$OUT/$fuzzer.options"
  rm -f "$OUT/${fuzzer}_seed_corpus.zip"
  for kind in seeds regress; do
    folder=$project/corpus/$kind/$target
    if [ -d "$folder" ]; then zip -q -j "$OUT/${fuzzer}_seed_corpus.zip" "$folder"/*; fi
  done
done

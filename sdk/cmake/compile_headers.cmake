# Compiles the functions of a precompiled header of Clang into an object file, if the header is newer:
# -DPCH=file -DOBJECT=file -DCOMPILER=clang++ -DOPTIONS=list
cmake_minimum_required(VERSION 3.25)

if("${PCH}" IS_NEWER_THAN "${OBJECT}")
  execute_process(COMMAND "${COMPILER}" ${OPTIONS} -c "${PCH}" -o "${OBJECT}.new" COMMAND_ERROR_IS_FATAL ANY)
  file(RENAME "${OBJECT}.new" "${OBJECT}")
endif()

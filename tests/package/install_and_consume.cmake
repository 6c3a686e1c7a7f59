# Run by CTest: installs the build into a scratch prefix, then configures, builds and runs the consumer against it.
# Wants -D build, consumer, scratch, generator, compiler, version, cuda_root (empty without CUDA).

function(run what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${what} failed (${status}):\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE "${scratch}")
run("installing" ${CMAKE_COMMAND} --install "${build}" --prefix "${scratch}/prefix")
# An installed package that names a path of the build it came from works only on the machine that made it.
file(GLOB_RECURSE package_files "${scratch}/prefix/*/graphrun*.cmake")
foreach(file IN LISTS package_files)
  file(READ "${file}" text)
  string(FIND "${text}" "${build}" position)
  if(NOT position EQUAL -1)
    message(FATAL_ERROR "${file} names the build directory ${build}")
  endif()
endforeach()

run("configuring the consumer" ${CMAKE_COMMAND} -S "${consumer}" -B "${scratch}/consumer" -G "${generator}"
    "-DCMAKE_CXX_COMPILER=${compiler}" "-DCMAKE_PREFIX_PATH=${scratch}/prefix" "-DGRAPHRUN_EXPECTED_VERSION=${version}"
    "-DCUDAToolkit_ROOT=${cuda_root}")
file(STRINGS "${scratch}/consumer/CMakeCache.txt" found REGEX "^graphrun_DIR:")
string(FIND "${found}" "${scratch}/prefix" position)
if(position EQUAL -1)
  message(FATAL_ERROR "the consumer found another graphrun than the one just installed: ${found}")
endif()
run("building the consumer" ${CMAKE_COMMAND} --build "${scratch}/consumer")
file(GLOB programs "${scratch}/consumer/consumer" "${scratch}/consumer/consumer64")
foreach(program IN LISTS programs)
  run("running ${program}" "${program}")
  message(STATUS "${output}")
endforeach()
run("running the paged array" "${scratch}/consumer/paged_array" "${scratch}/squares.bin")
message(STATUS "${output}")
file(REMOVE "${scratch}/squares.bin")
run("running the installed program" "${scratch}/prefix/bin/graphrun" --version)

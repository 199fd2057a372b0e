# What CPack needs to make a Debian package of this build: tools/package runs it. There is one package: the library, its
# headers, the pages and the program come together.
set(CPACK_GENERATOR DEB)
# As in Debian's own tools; nobody else is responsible for a package that anybody can build.
if(DEFINED ENV{DEBEMAIL})
    set(CPACK_PACKAGE_CONTACT "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
else()
    set(CPACK_PACKAGE_CONTACT "whoever built this package <nobody@localhost>")
endif()
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "how GPUs lay images out in memory: probe, look up, convert")
set(CPACK_PACKAGE_DESCRIPTION
    "Tilewise learns how a GPU lays out the texels of images with optimal tiling,
keeps what it learned in a database, and gives the address of any texel, whole
images in that layout, and shader code that walks images in memory order.
.
This package has the program with its catalog of known GPUs, the library for
C, C++ and Python, CMake and pkg-config files, JSON schemas and all pages.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION graphics)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# CPack calls ldconfig in the package's scripts; Debian wants the trigger.
set(control ${PROJECT_BINARY_DIR}/debian)
file(CONFIGURE OUTPUT ${control}/shlibs CONTENT
    "libtilewise ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} tilewise (>= ${PROJECT_VERSION})\n")
file(CONFIGURE OUTPUT ${control}/triggers CONTENT "activate-noawait ldconfig\n")
# The files that Python leaves beside the module belong to no package.
file(CONFIGURE OUTPUT ${control}/prerm CONTENT
    "#!/bin/sh\nset -e\nrm -f /usr/lib/python3/dist-packages/__pycache__/tilewise.*.pyc\n")
file(CHMOD ${control}/prerm PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${control}/shlibs ${control}/triggers ${control}/prerm)
# The loader is opened at run time, and only to ask a device; the others are for users who build with the library.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libvulkan1")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libfmt-dev, nlohmann-json3-dev, python3-numpy")
set(CPACK_TILEWISE_STRIP ${CMAKE_STRIP})
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/debian_files.cmake)
include(CPack)

# CPack runs this on the files to pack: it adds what Debian's policy asks of every package, and no other installation
# needs.
set(root ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr)
set(documents ${root}/share/doc/${CPACK_PACKAGE_NAME})
file(RENAME ${documents}/LICENSE ${documents}/copyright)
string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE ${documents}/changelog "${CPACK_PACKAGE_NAME} (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * Built from the source tree.

 -- ${CPACK_PACKAGE_CONTACT}  ${now}
")
file(GLOB pages ${root}/share/man/man1/*)
execute_process(COMMAND gzip -9n ${documents}/changelog ${pages} COMMAND_ERROR_IS_FATAL ANY)
file(GLOB_RECURSE libraries ${root}/lib/*.so.*.*)
file(CHMOD ${libraries} PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
file(GLOB_RECURSE static ${root}/lib/*.a)
execute_process(COMMAND ${CPACK_TILEWISE_STRIP} --strip-debug ${static} COMMAND_ERROR_IS_FATAL ANY)
file(WRITE ${root}/share/lintian/overrides/${CPACK_PACKAGE_NAME} "# One package: the library comes with its program.
${CPACK_PACKAGE_NAME}: package-name-doesnt-match-sonames
${CPACK_PACKAGE_NAME}: link-to-shared-library-in-wrong-package
# Neither the program nor the library needs Python; whoever imports the module has it.
${CPACK_PACKAGE_NAME}: python-package-missing-depends-on-python
# A placeholder address: set DEBEMAIL and DEBFULLNAME for your own.
${CPACK_PACKAGE_NAME}: bogus-mail-host *
${CPACK_PACKAGE_NAME}: bogus-mail-host-in-debian-changelog *
")

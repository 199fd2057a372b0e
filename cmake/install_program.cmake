# Installs the program, as a target that others can run, with its man pages and completions.
set_target_properties(tilewise PROPERTIES EXPORT_NAME program)
install(TARGETS tilewise EXPORT tilewiseTargets)
# The program itself writes man pages and completions.
if(NOT WIN32)
    set(help ${PROJECT_BINARY_DIR}/help)
    add_custom_command(
        OUTPUT ${help}/done
        COMMAND ${CMAKE_COMMAND} -E make_directory ${help}/man
        COMMAND tilewise man --all ${help}/man
        COMMAND tilewise completion bash > ${help}/tilewise.bash
        COMMAND tilewise completion zsh > ${help}/_tilewise
        COMMAND tilewise completion fish > ${help}/tilewise.fish
        COMMAND ${CMAKE_COMMAND} -E touch ${help}/done
        DEPENDS tilewise
        COMMENT "Writing man pages and completions")
    add_custom_target(tilewise_help ALL DEPENDS ${help}/done)
    install(DIRECTORY ${help}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    install(FILES ${help}/tilewise.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME tilewise)
    install(FILES ${help}/_tilewise DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
    install(FILES ${help}/tilewise.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()

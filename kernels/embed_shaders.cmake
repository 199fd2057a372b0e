# FILES (a list) become one source file, OUTPUT: pairs of name and text.
set(entries "")
foreach(file ${FILES})
    get_filename_component(name ${file} NAME)
    file(READ ${file} text)
    string(APPEND entries "    {\"${name}\", R\"glsl(${text})glsl\"},\n")
endforeach()
file(WRITE ${OUTPUT}
    "#include \"kernels/shader/variant.h\"\n\nnamespace tilewise::kernels {\n\n"
    "namespace {\nconst ShaderText texts[] = {\n${entries}};\n}  // namespace\n\n"
    "std::span<const ShaderText> shader_texts() { return texts; }\n\n}  // namespace tilewise::kernels\n")

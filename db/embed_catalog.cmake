# FILES (a list of JSON files) -> OUTPUT, a C++ source that defines tilewise::db::embedded_catalog().
set(texts "")
foreach(file IN LISTS FILES)
    file(READ ${file} text)
    get_filename_component(name ${file} NAME)
    # A raw literal has no escapes; a text that holds its end mark would not compile.
    string(APPEND texts "    {\"${name}\", R\"tilewise_text(${text})tilewise_text\"},\n")
endforeach()

file(WRITE ${OUTPUT} "// Generated from db/catalog by db/embed_catalog.cmake.
#include \"db/catalog.h\"
#include <vector>

namespace tilewise::db {

std::span<const CatalogFile> embedded_catalog() {
    static const std::vector<CatalogFile> files = {
${texts}    };
    return files;
}

}  // namespace tilewise::db
")

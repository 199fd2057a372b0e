#include "tools/answers/question.h"
#include "probe/formats/formats.h"

namespace tilewise {

db::Filter filter_of(const Question& question) {
    db::Filter filter;
    filter.vendor = question.vendor;
    filter.device = question.device;
    filter.driver = question.driver;
    // What is not known here may still be in the file.
    const probe::Format* format = probe::find_format(question.format);
    filter.format = format ? format->name : question.format;
    filter.usage = question.usage;
    filter.mode = question.mode;
    filter.extent = question.extent;
    return filter;
}

}  // namespace tilewise

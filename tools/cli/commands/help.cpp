// tilewise help, completion and man: documentation of what can be typed.
#include "db/sqlite/open.h"
#include "kernels/kernel_list.h"
#include "patterns/model/error.h"
#include "patterns/snippet/snippet.h"
#include "probe/formats/formats.h"
#include "tools/answers/gpu/known_gpus.h"
#include "tools/cli/commands/commands.h"
#include "tools/cli/files/files.h"
#include "tools/cli/help/completion.h"
#include "tools/cli/help/manual.h"
#include "tools/cli/help/suggest.h"
#include "tools/cli/terminal/print.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <set>

namespace tilewise {

namespace {

const CLI::App& command_named(const CLI::App& app, const std::vector<std::string>& words) {
    const CLI::App* command = &app;
    for (const std::string& word : words) {
        const auto named = command->get_subcommands([&](const CLI::App* one) { return one->get_name() == word; });
        if (named.empty()) throw UsageError(explain_command(*command, word));
        command = named.front();
    }
    return *command;
}

/// Writes one file for each command: tilewise-db-export.1.
void write_pages(const CLI::App& program, const CLI::App& command, const std::string& name, const std::string& folder) {
    write_whole_file(folder + "/" + name + ".1", manual_page(program, command));
    for (const CLI::App* inner : commands_of(command))
        write_pages(program, *inner, name + "-" + inner->get_name(), folder);
}

/// Adds the argument with the words that name a command.
std::shared_ptr<std::vector<std::string>> add_words(CLI::App& command) {
    auto words = std::make_shared<std::vector<std::string>>();
    command.add_option("command", *words, "a command: layout, or db export");
    return words;
}

/// The product without its brand: "GeForce RTX 4090" is typed as RTX 4090.
std::string without_brand(std::string product) {
    for (const std::string_view brand : {"NVIDIA ", "AMD ", "Intel ", "GeForce ", "Radeon ", "ATI "})
        if (product.starts_with(brand)) product.erase(0, brand.size());
    return product;
}

/// Whether the name has only letters, digits, and characters that are usual in names and special in no shell.
bool is_plain(const std::string& name) {
    return !name.empty() &&
           name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 ._+-") == name.npos;
}

/// The names of an enumeration, from its first value to `last`.
template <typename Enum, typename NameOf>
std::vector<std::string> names_until(Enum last, const NameOf& name_of) {
    std::vector<std::string> names;
    for (int i = 0; i <= static_cast<int>(last); i++) names.emplace_back(name_of(static_cast<Enum>(i)));
    return names;
}

std::vector<CompletedValues> completed_values() {
    std::set<std::string> gpus;
    for (const KnownGpu& gpu : known_gpus(db::open_catalog(), "")) {
        gpus.insert(gpu.chip.name);
        for (const std::string& product : gpu.products) gpus.insert(without_brand(product));
    }
    std::erase_if(gpus, [](const std::string& name) { return !is_plain(name); });
    std::vector<std::string> formats, kernels;
    for (const probe::Format& format : probe::known_formats()) formats.emplace_back(format.name);
    for (const KernelFamily& family : kernel_families()) kernels.emplace_back(family.name);
    return {{"gpus", {"-g", "--gpu"}, {gpus.begin(), gpus.end()}},
            {"formats", {"-f", "--format", "--formats"}, std::move(formats)},
            {"languages", {"-l", "--lang"}, names_until(Language::cute, language_name)},
            {"shader_languages", {"advise/--code"}, {"glsl", "hlsl", "wgsl", "msl", "cuda"}},
            {"kernels", {"-k", "--kernel"}, std::move(kernels)},
            {"kinds", {"--kind"}, names_until(SnippetKind::convert, snippet_kind_name)},
            {"aspects", {"--aspect"}, names_until(Aspect::plane2, aspect_name)},
            {"types", {"--image-type"}, names_until(ImageType::three_d, image_type_name)},
            {"routes", {"--route"}, {"alias", "alias-map", "host-copy"}},
            {"access", {"--access"}, {"box", "gather", "copy"}},
            {"lines", {"advise/--method"}, {"use", "rounded", "direct"}},
            {"containers", {"--container"}, {"raw", "ktx2", "dds"}},
            {"colors", {"--color"}, {"auto", "always", "never"}}};
}

}  // namespace

void add_help_commands(CLI::App& app) {
    auto* help = app.add_subcommand("help", "show what a command does, its options and examples");
    help->callback([&app, words = add_words(*help)] {
        const CLI::App& command = command_named(app, *words);
        std::string name = app.get_name();
        for (const std::string& word : *words) name += " " + word;
        print_text(command.get_formatter()->make_help(&command, name, CLI::AppFormatMode::Normal));
    });

    auto* man = app.add_subcommand("man", "print a command's man page, in roff");
    auto folder = std::make_shared<std::string>();
    man->add_option("--all", *folder, "write the pages of all commands into this folder");
    man->callback([&app, words = add_words(*man), folder] {
        const CLI::App& command = command_named(app, *words);
        if (folder->empty())
            print_text(manual_page(app, command));
        else
            write_pages(app, app, app.get_name(), *folder);
    });

    auto* completion =
        app.add_subcommand("completion", "print the script with which a shell completes commands and options");
    auto shell = std::make_shared<std::string>();
    completion->add_option("shell", *shell, "bash, zsh or fish")->required();
    completion->callback([&app, shell] { print_text(completion_script(app, *shell, completed_values())); });
}

}  // namespace tilewise

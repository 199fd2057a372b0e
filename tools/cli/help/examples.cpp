#include "tools/cli/help/examples.h"
#include "patterns/model/text.h"
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tilewise {

namespace {

struct Examples {
    const char *command, *of_subcommand, *lines;
};

constexpr Examples all_examples[] = {
    {"devices", "", "tilewise devices\ntilewise devices --measure"},
    {"probe", "",
     "tilewise probe\n"
     "tilewise probe --formats RGBA8,RGBA16F --extents 1920x1080,4096x4096\n"
     "tilewise probe --formats all --levels 5 --layers 2\n"
     "tilewise probe --learn"},
    {"solve", "", "tilewise solve offsets.csv --element-bytes 4"},
    {"query", "",
     "tilewise query --gpu \"RTX 4090\"\n"
     "tilewise query --vendor AMD --format RGBA8\n"
     "tilewise query --mode BLOCK_LINEAR --json"},
    {"gpus", "", "tilewise gpus\ntilewise gpus RTX 4090\ntilewise gpus amd rdna3 --json"},
    {"formats", "", "tilewise formats bc7\ntilewise formats --gpu H100"},
    {"modes", "", "tilewise modes\ntilewise modes 64KB_R_X\ntilewise modes --gpu M1"},
    {"show", "",
     "tilewise show --gpu H100 --format RGBA8 --extent 256x256\n"
     "tilewise show --gpu H100 --format RGBA8 --extent 256x256 --svg tile.svg\n"
     "tilewise show --rule --gpu \"RX 6800 XT\" --format RGBA8"},
    {"layout", "",
     "tilewise layout --gpu \"RTX 4090\" --format RGBA8 --extent 1920x1080\n"
     "tilewise layout --gpu \"Steam Deck\" --format BC7 --extent 1024x1024 --levels 11 --layers 6\n"
     "tilewise layout --gpu \"Adreno 740\" --format RGBA8 --extent 256x256 --at 3,5\n"
     "tilewise layout --gpu M1 --format RGBA16F --extent 300x200 --table offsets.csv"},
    {"snippet", "",
     "tilewise snippet --lang glsl --gpu H100 --format RGBA8\n"
     "tilewise snippet --lang glsl --gpu H100 --format RGBA16F --kernel gaussian --radius 8 --explain\n"
     "tilewise snippet --lang hlsl --kind kernel --gpu \"RTX 4090\" --format RGBA16F --radius 4\n"
     "tilewise snippet --lang cpp --kind address --gpu \"RX 6800 XT\" --format RGBA8 --extent 1920x1080 --levels 11"},
    {"advise", "",
     "tilewise advise --gpu H100 --format RGBA32F --radius 8\n"
     "tilewise advise --gpu H100 --format RGBA8 --kernel bilateral --radius 4 --code glsl\n"
     "tilewise advise --gpu \"RTX 4070\" --format RGBA16F --kernel gaussian --radius 5 --sigma 2 --extent 2560x1440 "
     "--code wgsl"},
    {"measure", "",
     "tilewise measure\n"
     "tilewise measure --kernel box --format RGBA8 --radius 3 --extent 1920x1080\n"
     "tilewise measure --seconds 30 --json"},
    {"validate", "",
     "tilewise validate --radius 4\n"
     "tilewise validate --kernel all --format RGBA8 --json"},
    {"tune", "", "tilewise tune --kernel gaussian --format RGBA32F --radius 8 --time 60"},
    {"try", "",
     "tilewise try pass.comp --size 3840x2160 --format source=RGBA16F\n"
     "tilewise try blur.hlsl --size 1920x1080 --push width,height --spirv better.spv\n"
     "tilewise try pass.spv --size 1920x1080 --print-scene\n"
     "tilewise try --scene scene.json --candidates 100 --time 60"},
    {"tile", "",
     "tilewise tile texels.raw tiled.bin --gpu \"RTX 4090\" --format RGBA8 --extent 1920x1080\n"
     "tilewise tile texture.ktx2 tiled.bin --gpu \"Steam Deck\""},
    {"detile", "",
     "tilewise detile tiled.bin texels.raw --gpu \"RTX 4090\" --format RGBA8 --extent 1920x1080\n"
     "tilewise detile tiled.bin texture.dds --gpu \"Steam Deck\" --format BC7 --extent 1024x1024 --levels 11"},
    {"identify", "", "tilewise identify dump.bin --extent 1920x1080 --format RGBA8 --png picture.png"},
    {"report", "",
     "tilewise report --output everything.html\n"
     "tilewise report --gpu H100 --extent 4096x4096 --output h100.html\n"
     "tilewise report --gpu \"RTX 4090\" --gpu \"RX 6800 XT\" --output two.html"},
    {"share", "", "tilewise share\ntilewise share --learn --output my-gpu.txt"},
    {"db", "export", "tilewise db export everything.json\ntilewise db export --own my-gpu.json"},
    {"db", "import", "tilewise db import my-gpu.json\ntilewise db import tilewise-share-rtx-4090.txt"},
    {"db", "merge", "tilewise db merge host1.json host2.json"},
    {"db", "diff", "tilewise db diff --gpu TU104 --gpu AD102\ntilewise db diff old.db new.db"},
    {"db", "init", "tilewise db init"},
    {"db", "check", "tilewise db check"},
    {"db", "stats", "tilewise db stats"},
    {"help", "", "tilewise help layout\ntilewise help db export"},
    {"completion", "",
     "tilewise completion bash >~/.local/share/bash-completion/completions/tilewise\n"
     "tilewise completion zsh >\"${fpath[1]}/_tilewise\"\n"
     "tilewise completion fish >~/.config/fish/completions/tilewise.fish"},
    {"man", "", "tilewise man layout | man -l -"},
};

}  // namespace

void add_examples(CLI::App& app) {
    for (const Examples& examples : all_examples) {
        CLI::App* command = app.get_subcommand(examples.command);
        if (*examples.of_subcommand) command = command->get_subcommand(examples.of_subcommand);
        command->footer(fmt::format("Examples:\n  {}", fmt::join(split(examples.lines, '\n'), "\n  ")));
    }
}

}  // namespace tilewise

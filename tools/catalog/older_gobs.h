// Rules of NVIDIA's chips before Turing, which nobody has probed and texts describe.
#pragma once
#include "tools/catalog/facts.h"
#include <vector>

namespace tilewise {

/// Images lie in blocks of GOBs on all of NVIDIA's chips. How many GOBs a block has, where levels lie, and how deep 3D
/// blocks are is as NVIDIA's own driver has it on an H100, whose rules these are: so say the tests of tegra_swizzle
/// (RGBA8 33x33x33 takes 368,640 bytes; BC3 512x512 with 10 levels has level 2 at 327,680) and its rule of the block
/// height. Within a GOB the order is another: that of Tegra K1 to X2 is in the Tegra X1 technical reference manual,
/// chapter 20, that of Fermi to Volta in Mesa's src/nouveau/nil (FermiColor), with one bit inverted. ASTC, which an
/// H100 has not, lies as other formats of 16-byte blocks do. The rules are of color images of one sample. Each device
/// of `documented` gets all of them, a Tegra those of Tegra.
std::vector<db::ImageRuleRow> rules_before_turing(const std::vector<db::ImageRuleRow>& h100,
                                                  const std::vector<CatalogFact>& documented);

}  // namespace tilewise

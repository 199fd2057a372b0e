// Rules for NVIDIA's chips before Turing, which nobody has probed but texts describe.
#pragma once
#include "tools/catalog/facts.h"
#include <vector>

namespace tilewise {

/// On all of NVIDIA's chips, images lie in blocks of GOBs. The number of GOBs in a block, the place of levels and the
/// depth of 3D blocks are as in NVIDIA's own driver on an H100, whose rules are the argument `h100`. The tests of
/// tegra_swizzle (RGBA8 33x33x33 takes 368,640 bytes; BC3 512x512 with 10 levels has level 2 at 327,680) and its rule
/// for the block height say the same. Where tegra_swizzle differs from an H100, a Tegra is as tegra_swizzle has it:
/// level 0 limits the blocks of block formats, too; an image has room for its own levels alone (also in yuzu,
/// CalculateLayerSize()); and a 3D image of depth 1 has the blocks of a 2D image (NVK gives it blocks of one GOB, as an
/// H100 has them). For Fermi to Volta, no text says how NVIDIA's driver counts levels: there, as on an H100, an image
/// has room for all levels that its extent allows. The order within a GOB is different: for Tegra K1 to X2 it is in the
/// Tegra X1 technical reference manual, chapter 20; for Fermi to Volta it is in Mesa's src/nouveau/nil (FermiColor),
/// with one bit inverted. ASTC, which an H100 does not have, is laid out like other formats with 16-byte blocks. The
/// rules are for color images of one sample. Each device in `documented` gets all of them; a Tegra gets those for
/// Tegra.
std::vector<db::ImageRuleRow> rules_before_turing(const std::vector<db::ImageRuleRow>& h100,
                                                  const std::vector<CatalogFact>& documented);

}  // namespace tilewise

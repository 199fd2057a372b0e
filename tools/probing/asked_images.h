// Images to ask a device for: those that show the large patterns, those where a bound is not settled, and others at random.
#pragma once
#include "patterns/rules/learn.h"
#include "tools/probing/image_prober.h"
#include <random>

namespace tilewise {

/// Levels that an image of this extent can have.
uint32_t chain_of(const Extent_px& extent);
uint64_t elements_of(const WantedImage& image);

/// What shows the large patterns, and layers.
std::vector<WantedImage> first_images(const std::string& format, probe::ImageType type, const Element& element);

/// An image at random: extents log-uniform up to max_side, so many elements at most.
WantedImage draw_image(std::mt19937_64& random, const std::string& format, probe::ImageType type, uint32_t max_side,
                       uint64_t max_elements);

/// Images whose levels have the values of a gap, and those beside them.
void ask_about(const Learned::Gap& gap, const std::string& format, probe::ImageType type, const Element& element,
               std::mt19937_64& random, std::vector<WantedImage>& wanted);

/// Some at random, where there are more.
void keep_at_most(size_t count, std::vector<WantedImage>& wanted, std::mt19937_64& random);

}  // namespace tilewise

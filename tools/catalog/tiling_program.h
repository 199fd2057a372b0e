// Images that a program computes with a driver's own tiling code, for drivers that copy no images without hardware.
#pragma once
#include "probe/learn/image_source.h"
#include "tools/catalog/facts.h"
#include <span>
#include <string>

namespace tilewise {

/// Images are asked for up to the sides and layers that drivers allow. `command` is run by the shell and reads one line
/// of text for each image:
///
///   2D R8G8B8A8_UNORM color 4 1 1 1920 1080 1 1 1 1 sampled,storage,transfer-dst,transfer-src
///
/// that is type, format, aspect, bytes of an element, width and height of an element in texels, width, height, depth,
/// levels, layers, samples, usage. It prints binary numbers, each of 64 bits, little-endian: the image's bytes (0: it
/// does not know such an image) and its alignment; unless the bytes are 0, then the byte offset of every element from
/// the start of the image: level by level, in each layer by layer, in each row by row of each slice. An image with
/// depth and stencil is not asked for, nor one of several planes. read() throws Error if the program fails or prints
/// too little or too much.
ImageSource images_of_program(const std::string& command);

/// Images of one level and one layer, one fact each, without those that the source does not know. The rest of each fact
/// is taken from `about`.
std::vector<CatalogFact> image_facts(const ImageSource& source, std::span<const std::string> formats,
                                     std::span<const Extent_px> extents_px, const CatalogFact& about);

}  // namespace tilewise

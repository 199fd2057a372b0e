/* Navi 21's 64KB_R_X layout of a 256x256 image of 4-byte elements, and three rows of the table of Mesa's addrlib that
 * tests/data/layouts/amd_gfx103-navi21_64KB-R-X_32bpp.csv.xz holds. */
#pragma once

static const char navi21_json[] =
    "{\"element\":{\"bytes\":4,\"width\":1,\"height\":1},"
    "\"tile\":{\"width\":128,\"height\":128,\"depth\":1,\"bytes\":65536},"
    "\"equation\":[\"0\",\"0\",\"x0\",\"x1\",\"y0\",\"y1\",\"x2\",\"y2\",\"y4\",\"x4^y4\",\"y5\",\"x5\",\"x3\",\"y3\","
    "\"x6\",\"x6^y6\"],"
    "\"outer_xor\":{\"10\":\"tx0\",\"11\":\"ty0\",\"14\":\"ty0\"},"
    "\"stride\":{\"x\":65536,\"y\":131072,\"z\":0,\"xor\":{}},\"constant\":0,\"base\":0}";

static const struct {
    unsigned x, y;
    unsigned long offset;
} navi21_rows[] = {{255, 128, 235084}, {77, 133, 170196}, {200, 255, 211888}};

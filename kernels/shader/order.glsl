// Which texel an invocation takes. The map is made of specialization constants, so that the driver folds it: orders
// differ in nothing else. x is in the low half of a column, y in the high half.
layout(local_size_x_id = 0, local_size_y = 1, local_size_z = 1) in;
layout(constant_id = 1) const uint column0 = 0;
layout(constant_id = 2) const uint column1 = 0;
layout(constant_id = 3) const uint column2 = 0;
layout(constant_id = 4) const uint column3 = 0;
layout(constant_id = 5) const uint column4 = 0;
layout(constant_id = 6) const uint column5 = 0;
layout(constant_id = 7) const uint column6 = 0;
layout(constant_id = 8) const uint column7 = 0;
layout(constant_id = 9) const uint column8 = 0;
layout(constant_id = 10) const uint column9 = 0;
layout(constant_id = 11) const uint shape_x = 1;
layout(constant_id = 12) const uint shape_y = 1;
layout(constant_id = 13) const uint block_x = 0;        // of workgroups; 0: they go as they are launched
layout(constant_id = 14) const uint block_y = 0;        // 0: as many as there are
layout(constant_id = 15) const uint block_columns = 0;  // 1: blocks go down the columns

uint where_bit(uint index, uint bit, uint column) { return (index >> bit & 1) != 0 ? column : 0; }

/// Texel of the workgroup's box.
uvec2 remap(uint index) {
    uint at = where_bit(index, 0, column0) ^ where_bit(index, 1, column1) ^ where_bit(index, 2, column2) ^
              where_bit(index, 3, column3) ^ where_bit(index, 4, column4) ^ where_bit(index, 5, column5) ^
              where_bit(index, 6, column6) ^ where_bit(index, 7, column7) ^ where_bit(index, 8, column8) ^
              where_bit(index, 9, column9);
    return uvec2(at & 0xffff, at >> 16);
}

/// Where the workgroup lies, in the grid that dispatched_groups() gives (patterns/remap/remap.h).
uvec2 own_group() {
    if (block_x == 0) return gl_WorkGroupID.xy;
    if (block_y == 0) return uvec2(gl_WorkGroupID.z * block_x + gl_WorkGroupID.x, gl_WorkGroupID.y);
    uvec2 block = block_columns != 0 ? gl_WorkGroupID.zy : gl_WorkGroupID.yz;
    return block * uvec2(block_x, block_y) + uvec2(gl_WorkGroupID.x % block_x, gl_WorkGroupID.x / block_x);
}

/// This invocation's texel of the image.
ivec2 own_texel() { return ivec2(own_group() * uvec2(shape_x, shape_y) + remap(gl_LocalInvocationIndex)); }

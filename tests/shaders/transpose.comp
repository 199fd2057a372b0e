#version 450
layout(local_size_x = 16, local_size_y = 16, local_size_x_id = 0, local_size_y_id = 1) in;
layout(constant_id = 0) const uint columns = 16;
layout(constant_id = 1) const uint rows = 16;
layout(binding = 0, r32f) uniform readonly image2D source;
layout(binding = 1, r32f) uniform writeonly image2D result;
void main() {
    ivec2 at = ivec2(gl_WorkGroupID.xy * uvec2(columns, rows) + gl_LocalInvocationID.xy);
    if (all(lessThan(at, imageSize(source)))) imageStore(result, at.yx, imageLoad(source, at));
}

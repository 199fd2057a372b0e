// Workgroups that do next to nothing: the first invocation of each leaves the group's number.
#version 450

layout(local_size_x_id = 0) in;

layout(binding = 0) writeonly buffer Marks { uint marks[]; };

void main() {
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    if (gl_LocalInvocationIndex == 0) marks[group] = group;
}

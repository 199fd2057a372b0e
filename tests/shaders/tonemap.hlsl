// Exposure by a number in a buffer; the workgroup and the place in it make the texel, as engines do that swizzle.
Texture2D<float4> source : register(t0);
StructuredBuffer<float> exposure : register(t1);
[[vk::image_format("rgba8")]] RWTexture2D<float4> result : register(u0);

[numthreads(16, 16, 1)]
void main(uint3 group : SV_GroupID, uint3 local : SV_GroupThreadID, uint index : SV_GroupIndex) {
    uint2 at = group.xy * 16 + local.xy, size;
    result.GetDimensions(size.x, size.y);
    if (any(at >= size)) return;
    float3 color = source[at].rgb * exposure[0];
    result[at] = float4(color / (1 + color), index / 255.0);
}

// The image and what a blur takes from it.
Texture2D<float4> source : register(t0);
[[vk::image_format("rgba16f")]] RWTexture2D<float4> result : register(u0);
cbuffer Settings : register(b0) { float2 size; float strength; };

[numthreads(8, 8, 1)]
void main(uint3 id : SV_DispatchThreadID) {
    if (id.x >= uint(size.x) || id.y >= uint(size.y)) return;
    float4 middle = source[id.xy], sum = 0;
    for (int i = 0; i < 9; ++i) sum += source[clamp(int2(id.xy) + int2(i % 3 - 1, i / 3 - 1), int2(0, 0), int2(size) - 1)];
    result[id.xy] = middle + strength * (middle - sum / 9);
}

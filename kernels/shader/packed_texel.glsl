// Texels in shared memory and registers: PRECISION bits a channel. 8: channels of 0 to 1.
#if PRECISION == 8
#define Packed uint
Packed pack(vec4 texel) { return packUnorm4x8(texel); }
vec4 unpack(Packed texel) { return unpackUnorm4x8(texel); }
#elif PRECISION == 16
#define Packed uvec2
Packed pack(vec4 texel) { return uvec2(packHalf2x16(texel.xy), packHalf2x16(texel.zw)); }
vec4 unpack(Packed texel) { return vec4(unpackHalf2x16(texel.x), unpackHalf2x16(texel.y)); }
#else
#define Packed vec4
Packed pack(vec4 texel) { return texel; }
vec4 unpack(Packed texel) { return texel; }
#endif

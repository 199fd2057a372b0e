"""What emitted layouts need of Triton, after the comment in its LinearLayout.h: the bases are a layout's values at the powers of
two of each input, and any other value is the XOR of those that the inputs' bits select."""


class LinearLayout:

    def __init__(self, bases, out_dim_names, out_dim_sizes):
        self.bases, self.out_dim_names = bases, out_dim_names
        for _, vectors in bases:
            for vector in vectors:
                assert len(vector) == len(out_dim_sizes)
                assert all(0 <= value < size for value, size in zip(vector, out_dim_sizes))

    @staticmethod
    def from_bases(bases, out_dim_names, out_dim_sizes, require_surjective):
        layout = LinearLayout(bases, out_dim_names, out_dim_sizes)
        assert all(size & (size - 1) == 0 for size in out_dim_sizes)
        if require_surjective:
            assert layout.rank() == sum(size.bit_length() - 1 for size in out_dim_sizes), "not surjective"
        return layout

    def rank(self):
        """Of the bases as rows of bits: Gauss's elimination."""
        leading = {}
        for _, vectors in self.bases:
            for vector in vectors:
                row = sum(value << 32 * place for place, value in enumerate(vector))
                while row and row.bit_length() in leading:
                    row ^= leading[row.bit_length()]
                if row:
                    leading[row.bit_length()] = row
        return len(leading)

    def apply(self, inputs):
        result = [0] * len(self.out_dim_names)
        for name, vectors in self.bases:
            value = inputs[name]
            assert value >> len(vectors) == 0, f"{name} = {value} is beyond the layout"
            for bit, vector in enumerate(vectors):
                if value >> bit & 1:
                    result = [a ^ b for a, b in zip(result, vector)]
        return dict(zip(self.out_dim_names, result))


class DistributedLinearLayout:

    def __init__(self, reg_bases, lane_bases, warp_bases, block_bases, shape):
        self.reg_bases, self.lane_bases, self.warp_bases, self.block_bases = reg_bases, lane_bases, warp_bases, block_bases
        self.shape = shape
        names = [f"dim{axis}" for axis in range(len(shape))]
        self.layout = LinearLayout.from_bases([("register", reg_bases), ("lane", lane_bases), ("warp", warp_bases),
                                               ("block", block_bases)], names, shape, True)

/* Sums in one published order, whatever the device, its vector width and the size of work-groups.
 *
 * The elements of one result, in row-major order of the dimensions that go, are cut into chunks of 4096. In a chunk,
 * lane j of 32 adds elements j, j + 32, j + 64, ... in their order; then lane j adds lane j + 16, + 8, + 4, + 2, + 1.
 * Results of chunks are joined in pairs: i adds i + 1 for even i, then i adds i + 2 for every fourth, and so on. What is
 * not there (a lane without elements, the partner of a last chunk) is left out: here it is -0, which changes no number.
 *
 * The kernels are written by src/ops/sum_text.c; these are their bodies. A kernel makes one result of one chunk an item
 * (rows) or WI_BLOCK vectors of them (columns, where neighbouring results are neighbours in memory, or short), or joins
 * up to 4096 results of chunks an item. The names of arguments:
 *   item       which one: chunks of a result follow each other, then come those of the next result
 *   chunks     chunks of a result
 *   length     elements of a result, > 0
 *   kept_n, kept_s   extents and strides of the dimensions that stay, to find where a result's elements begin
 *   n, s       extents and strides of those that go
 *   x          the element whose indices are 0; out: result r of chunk c goes to r * chunks + c
 * No local memory, no barriers.
 */
#define WI_CHUNK 4096u
#define WI_LANES 32u
#define WI_VECTORS (WI_LANES / WEIR_WIDTH)
#define WI_ABSENT (-0.0f)
#ifndef WI_BLOCK
#define WI_BLOCK 1 /* 1, 4 or 8: what a device keeps in fast memory of 32 * WI_BLOCK vectors */
#endif

/* Stores a number; every NaN becomes the one of lanes.h. */
WI_FN void wi_store_one(__global float *at, const float value)
{
    const uint u = as_uint(value);
    *(__global uint *)at = (u << 1) > 0xff000000u ? WI_NAN : u;
}

/* Joins the first `used` of 32 lanes. */
WI_FN float wi_join_lanes(float *lanes, const uint used)
{
    for (uint reach = WI_LANES / 2; reach > 0; reach /= 2) { /* trips <= 5 */
        for (uint j = 0; j < reach; j++) {                   /* trips <= 16 */
            if (j + reach < used) lanes[j] += lanes[j + reach];
        }
    }
    return lanes[0];
}

/* 32 numbers at `lanes` to the running sums. */
WI_FN void wi_add_lanes(wi_f *sums, const float *lanes)
{
    for (uint v = 0; v < WI_VECTORS; v++) { /* trips <= 32 */
        sums[v] += WI_LOAD_LANES(lanes + v * WEIR_WIDTH);
    }
}

/* Sum of the `left` elements, at most a chunk, from `index` on. */
WI_FN float wi_sum_chunk(__global const float *x, const uint left, wi_dims index, const wi_dims n,
                         const wi_dims s)
{
    const uint whole = left / WI_LANES;
    const int is_straight = index.at[0] + left <= n.at[0];
    const ulong step = s.at[0];
    wi_f sums[WI_VECTORS];
    float lanes[WI_LANES];

    if (left <= WI_LANES) {
        for (uint j = 0; j < left; j++) { /* trips <= 32 */
            lanes[j] = x[wi_place(index, s)];
            wi_next(&index, n);
        }
        return wi_join_lanes(lanes, left);
    }
    for (uint v = 0; v < WI_VECTORS; v++) sums[v] = WI_F(WI_ABSENT); /* trips <= 32 */
    if (is_straight && step == 1) {
        x += wi_place(index, s);
        for (uint g = 0; g < whole; g++) {          /* trips <= 128 */
            for (uint v = 0; v < WI_VECTORS; v++) { /* trips <= 32 */
                sums[v] += WI_LOAD_LANES(x + g * WI_LANES + v * WEIR_WIDTH);
            }
        }
        x += whole * WI_LANES;
        for (uint j = 0; j < WI_LANES; j++) { /* trips <= 32 */
            lanes[j] = j < left % WI_LANES ? x[j] : WI_ABSENT;
        }
        wi_add_lanes(sums, lanes);
    } else {
        for (uint g = 0; g * WI_LANES < left; g++) { /* trips <= 128 */
            for (uint j = 0; j < WI_LANES; j++) {    /* trips <= 32 */
                lanes[j] = WI_ABSENT;
                if (g * WI_LANES + j < left) {
                    lanes[j] = x[wi_place(index, s)];
                    wi_next(&index, n);
                }
            }
            wi_add_lanes(sums, lanes);
        }
    }
    for (uint v = 0; v < WI_VECTORS; v++) { /* trips <= 32 */
        WI_STORE_LANES(sums[v], lanes + v * WEIR_WIDTH);
    }
    return wi_join_lanes(lanes, WI_LANES);
}

WI_FN void wi_sum_rows(const ulong item, const ulong chunks, const ulong length,
                       const wi_dims kept_n, const wi_dims kept_s, const wi_dims n, const wi_dims s,
                       __global const float *x, __global float *out)
{
    const ulong result = wi_divide(item, chunks);
    const ulong begin = (item - result * chunks) * WI_CHUNK;
    const ulong left = length - begin;

    wi_dims index;

    wi_index(result, kept_n, &index);
    x += wi_place(index, kept_s);
    wi_index(begin, n, &index);
    wi_store_one(out + item, wi_sum_chunk(x, left < WI_CHUNK ? (uint)left : WI_CHUNK, index, n, s));
}

/* Elements 0 .. count - 1 of a vector, at distance `step`; the others 0. */
WI_FN wi_f wi_load_some(__global const float *x, const ulong count, const ulong step)
{
    float lanes[WEIR_WIDTH];
    if (count >= WEIR_WIDTH && step == 1) return WI_LOAD_LANES(x);
    for (uint i = 0; i < WEIR_WIDTH; i++) lanes[i] = i < count ? x[i * step] : 0.0f;
    return WI_LOAD_LANES(lanes);
}

/* An item makes WI_BLOCK * WEIR_WIDTH results along the innermost dimension that stays. */
WI_FN void wi_sum_columns(const ulong item, const ulong chunks, const ulong length,
                          const wi_dims kept_n, const wi_dims kept_s, const wi_dims n,
                          const wi_dims s, __global const float *x, __global float *out)
{
    const ulong blocks = (kept_n.at[0] - 1) / (WI_BLOCK * WEIR_WIDTH) + 1;
    const ulong place = wi_divide(item, chunks);
    const ulong chunk = item - place * chunks;
    const ulong row = wi_divide(place, blocks);
    const ulong column = (place - row * blocks) * (WI_BLOCK * WEIR_WIDTH);
    const ulong result = row * kept_n.at[0] + column;
    const ulong columns = kept_n.at[0] - column;
    const ulong rest = length - chunk * WI_CHUNK;
    const uint left = rest < WI_CHUNK ? (uint)rest : WI_CHUNK;
    const uint used = left < WI_LANES ? left : WI_LANES;
    const ulong step = kept_s.at[0];
    wi_dims index;
    wi_f sums[WI_LANES * WI_BLOCK]; /* of lane j: WI_BLOCK vectors */
    float lanes[WEIR_WIDTH];

    wi_index(result, kept_n, &index);
    x += wi_place(index, kept_s);
    wi_index(chunk * WI_CHUNK, n, &index);
    for (uint i = 0; i < used * WI_BLOCK; i++) sums[i] = WI_F(WI_ABSENT); /* trips <= 256 */
    for (uint g = 0; g * WI_LANES < left; g++) {                          /* trips <= 128 */
        const uint here = left - g * WI_LANES < WI_LANES ? left - g * WI_LANES : WI_LANES;
        for (uint j = 0; j < here; j++) { /* trips <= 32 */
            __global const float *at = x + wi_place(index, s);
            for (uint v = 0; v < WI_BLOCK; v++) { /* trips <= 8 */
                const ulong from = v * WEIR_WIDTH;
                if (from < columns) {
                    sums[j * WI_BLOCK + v] += wi_load_some(at + from * step, columns - from, step);
                }
            }
            wi_next(&index, n);
        }
    }
    for (uint reach = WI_LANES / 2; reach > 0; reach /= 2) { /* trips <= 5 */
        for (uint i = 0; i < reach * WI_BLOCK; i++) {        /* trips <= 128 */
            if (i / WI_BLOCK + reach < used) sums[i] += sums[i + reach * WI_BLOCK];
        }
    }
    for (uint v = 0; v < WI_BLOCK; v++) { /* trips <= 8 */
        WI_STORE_LANES(sums[v], lanes);
        for (uint i = 0; i < WEIR_WIDTH; i++) {
            const ulong at = v * WEIR_WIDTH + i;
            if (at < columns) wi_store_one(out + (result + at) * chunks + chunk, lanes[i]);
        }
    }
}

/* Joins numbers group * 4096 .. of the `parts` of a result, in place, and writes the sum. */
WI_FN void wi_sum_join(const ulong item, const ulong parts, __global float *x, __global float *out)
{
    const ulong groups = (parts - 1) / WI_CHUNK + 1;
    const ulong result = wi_divide(item, groups);
    const ulong begin = (item - result * groups) * WI_CHUNK;
    const uint count = parts - begin < WI_CHUNK ? (uint)(parts - begin) : WI_CHUNK;

    x += result * parts + begin;
    for (uint stride = 1; stride < count; stride *= 2) { /* trips <= 12 */
        for (uint i = 0; i + stride < count; i += 2 * stride)
            x[i] += x[i + stride]; /* trips <= 2048 */
    }
    wi_store_one(out + item, x[0]);
}

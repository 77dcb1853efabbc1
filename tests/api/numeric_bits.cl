/* Every function of numeric.h on words a and b, for tests/api/numeric_bits.c. Comes after random.h; the list of
 * functions is X(number, bits of the result). */

__kernel void weir_numeric_bits(uint function, __global const uint *a, __global const uint *b,
                                __global uint *out)
{
    uint first = (uint)get_global_id(0) * WEIR_WIDTH;
    wi_u p = WI_LOAD_LANES(a + first);
    wi_u q = WI_LOAD_LANES(b + first);
    wi_f x = wi_float(p);
    wi_f cosine;
    wi_u r = WI_U(0u);

    switch (function) {
    case 0:
        r = wi_bits(wi_log(x));
        break;
    case 1:
        r = wi_bits(wi_exp(x));
        break;
    case 2:
        r = wi_bits(wi_tanh(x));
        break;
    case 3:
        r = wi_bits(wi_sqrt(x));
        break;
    case 4:
        r = wi_bits(wi_div(x, wi_float(q)));
        break;
    case 5:
        r = wi_bits(wi_sincos_turn(p, &cosine));
        break;
    case 6:
        (void)wi_sincos_turn(p, &cosine);
        r = wi_bits(cosine);
        break;
    case 7:
        r = wi_bits(wi_canonical(x));
        break;
    case 8:
        r = wi_bits(wi_sigmoid(x));
        break;
    }
    WI_STORE_LANES(r, out + first);
}

/* Quads first + lane of draw 3 under `seed`: words (kind 0), normals (1) or uniforms (2) in the order of elements. */
__kernel void weir_numeric_draws(uint kind, uint seed, __global uint *out)
{
    uint first = (uint)get_global_id(0) * WEIR_WIDTH;
    wi_quad_u words = wi_philox(wi_counter(first, 5u, 3u, 0u), seed, 1u);
    wi_quad_f z;

    if (kind == 1u) {
        z = wi_in_order(wi_normal4(words));
    } else if (kind == 2u) {
        z = wi_in_order(wi_uniform4(words));
    } else {
        z.v0 = wi_float(words.v0);
        z.v1 = wi_float(words.v1);
        z.v2 = wi_float(words.v2);
        z.v3 = wi_float(words.v3);
        z = wi_in_order(z);
    }
    out += 4u * first;
    WI_STORE_LANES(wi_bits(z.v0), out);
    WI_STORE_LANES(wi_bits(z.v1), out + WEIR_WIDTH);
    WI_STORE_LANES(wi_bits(z.v2), out + 2 * WEIR_WIDTH);
    WI_STORE_LANES(wi_bits(z.v3), out + 3 * WEIR_WIDTH);
}

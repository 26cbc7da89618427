#ifndef ASSIST_KERNELS_H
#define ASSIST_KERNELS_H

#include <stddef.h>
#include <stdint.h>

// The arithmetic of the sentence encoder. It is in C because Swift cannot compile a function for several processors: each
// function here exists for the instruction set of the build and, on x86-64, for AVX2 and for AVX-512. The first call finds out
// which of them the processor has.

/// How many outputs stand together in a packed matrix.
#define ASSIST_PANEL 32

/// Packs a matrix of `outputs` rows of `inputs` floats for `assist_multiply`. `packed` has room for as many floats, and
/// `outputs` is a multiple of ASSIST_PANEL.
void assist_pack(const float *matrix, size_t outputs, size_t inputs, float *packed);

/// y = x * transposed matrix + bias. `x` has `rows` rows of `inputs` floats, and `y` has `rows` rows of `outputs` floats.
void assist_multiply(
    const float *x, size_t rows, const float *packed, const float *bias, size_t outputs, size_t inputs, float *y);

/// Each value becomes its GELU, the exact form with the error function (absolute error below 1e-6).
void assist_gelu(float *values, size_t count);

/// Each of `rows` rows of `width` floats becomes normalised(row + added) * scale + shift. `added` may be null.
void assist_normalize(
    float *values, const float *added, size_t rows, size_t width, const float *scale, const float *shift);

/// Attention of one text with `heads` heads of 32 floats. Each of the `rows` rows of `triples` has the queries of all heads,
/// then their keys, then their values. `scratch` has room for `rows` floats, `result` for `rows` rows of heads * 32.
void assist_attend(const float *triples, size_t rows, size_t heads, float *scratch, float *result);

/// The scalar product of two rows of 8-bit integers.
int32_t assist_dot(const int8_t *a, const int8_t *b, size_t count);

#endif

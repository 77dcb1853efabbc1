/* Dense copies of views. */
#ifndef WI_OPS_COPY_H
#define WI_OPS_COPY_H

#include "tensor/tensor.h"

/** The wi_write of views whose elements have `bytes` bytes: 1, 2, 4 or 8. Every bit of an element arrives. */
wi_write *wi_copy_write(size_t bytes);

#endif

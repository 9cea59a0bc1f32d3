/* SPDX-License-Identifier: MIT */
/** @file export.h  What leaves the library: everything else is hidden. */
#ifndef DBLOCK_EXPORT_H
#define DBLOCK_EXPORT_H

#if defined(__GNUC__)
#define DBLOCK_API       __attribute__((visibility("default")))
#define DBLOCK_NODISCARD __attribute__((warn_unused_result))
#else
#define DBLOCK_API
#define DBLOCK_NODISCARD
#endif

#endif

/* Linkage of public symbols and the attributes that public declarations use. */
#ifndef WEIR_EXPORT_H
#define WEIR_EXPORT_H

#if defined(WEIR_STATIC)
#define WEIR_API
#elif defined(_WIN32)
#if defined(WEIR_BUILDING)
#define WEIR_API __declspec(dllexport)
#else
#define WEIR_API __declspec(dllimport)
#endif
#else
#define WEIR_API __attribute__((visibility("default")))
#endif

#if defined(__GNUC__) || defined(__clang__)
#define WEIR_NODISCARD __attribute__((warn_unused_result))
#define WEIR_PRINTF(Format, First) __attribute__((format(printf, Format, First)))
#else
#define WEIR_NODISCARD
#define WEIR_PRINTF(Format, First)
#endif

#ifdef __cplusplus
#define WEIR_BEGIN_DECLS extern "C" {
#define WEIR_END_DECLS }
#else
#define WEIR_BEGIN_DECLS
#define WEIR_END_DECLS
#endif

#endif

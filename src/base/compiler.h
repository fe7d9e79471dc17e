// What depends on the compiler, kept in one place.
#ifndef PERP_BASE_COMPILER_H
#define PERP_BASE_COMPILER_H

// Compiles a kernel for several instruction sets and picks at load time. Results keep their bits:
// products are never contracted and sums have a fixed shape. Sanitizers cannot run the picking.
// Straight code on four numbers is left scalar where there are vectors of eight.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) &&                             \
    !defined(__SANITIZE_ADDRESS__) && !defined(PERP_COVERAGE)
#if __GNUC__ >= 12
#define PERP_VECTOR_KERNEL __attribute__((target_clones("avx512f", "arch=x86-64-v3", "default")))
#define PERP_VECTOR_KERNEL_OF_FOUR __attribute__((target_clones("arch=x86-64-v3", "default")))
#else // names that processor alone
#define PERP_VECTOR_KERNEL __attribute__((target_clones("avx512f", "arch=haswell", "default")))
#define PERP_VECTOR_KERNEL_OF_FOUR __attribute__((target_clones("arch=haswell", "default")))
#endif
#define PERP_WIDE_VECTORS // of four doubles, on any machine that is not very old
#else
#define PERP_VECTOR_KERNEL
#define PERP_VECTOR_KERNEL_OF_FOUR
#endif

// A part of such a kernel: compiled anew with each of its instruction sets.
#if defined(__GNUC__)
#define PERP_KERNEL_PART static inline __attribute__((always_inline))
#else
#define PERP_KERNEL_PART static inline
#endif

// Lets the compiler check the arguments of functions like printf.
#if defined(__GNUC__)
#define PERP_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define PERP_PRINTF(text, first)
#endif

#endif

/* What the call benchmarks need in C: the JNI side, and functions that all ways of calling share. Never shipped. */
#define _GNU_SOURCE
#include <jni.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

struct point {
    double x, y;
};

struct point bench_point(double x, double y) { return (struct point){x, y}; }

void bench_point_into(double x, double y, struct point *result) { *result = (struct point){x, y}; }

/* Calls back `times` times; the sum of what came back. */
long bench_callbacks(long (*function)(long), long times) {
    long sum = 0;
    for (long i = 0; i < times; i++) {
        sum += function(i);
    }
    return sum;
}

/* Copies past the caches; `to` aligned to 16 bytes, `bytes` a multiple of 64. */
void bench_copy_streaming(void *to, const void *from, long bytes) {
#ifdef __SSE2__
    __m128i *target = to;
    const __m128i *source = from;
    for (long i = 0; i < bytes / 16; i += 4) {
        __m128i a = _mm_loadu_si128(source + i), b = _mm_loadu_si128(source + i + 1);
        __m128i c = _mm_loadu_si128(source + i + 2), d = _mm_loadu_si128(source + i + 3);
        _mm_stream_si128(target + i, a);
        _mm_stream_si128(target + i + 1, b);
        _mm_stream_si128(target + i + 2, c);
        _mm_stream_si128(target + i + 3, d);
    }
    _mm_sfence();
#else
    memcpy(to, from, bytes);
#endif
}

JNIEXPORT jlong JNICALL Java_io_chagres_bench_Jni_labs(JNIEnv *env, jclass type, jlong value) {
    (void)env, (void)type;
    return labs(value);
}

JNIEXPORT jlong JNICALL Java_io_chagres_bench_Jni_callbacks(JNIEnv *env, jclass type, jlong times) {
    jmethodID method = (*env)->GetStaticMethodID(env, type, "identity", "(J)J");
    jlong sum = 0;
    for (jlong i = 0; i < times; i++) {
        sum += (*env)->CallStaticLongMethod(env, type, method, i);
    }
    return sum;
}

JNIEXPORT jlong JNICALL Java_io_chagres_bench_Jni_readersCalled(JNIEnv *env, jclass type, jobject reader, jlong times) {
    (void)type;
    jmethodID method = (*env)->GetMethodID(env, (*env)->GetObjectClass(env, reader), "read", "(J)J");
    jlong sum = 0;
    for (jlong i = 0; i < times; i++) {
        sum += (*env)->CallLongMethod(env, reader, method, i);
    }
    return sum;
}

JNIEXPORT jlong JNICALL Java_io_chagres_bench_Jni_fieldsRead(JNIEnv *env, jclass type, jobject reader, jlong times) {
    (void)type;
    jfieldID field = (*env)->GetFieldID(env, (*env)->GetObjectClass(env, reader), "value", "J");
    jlong sum = 0;
    for (jlong i = 0; i < times; i++) {
        sum += (*env)->GetLongField(env, reader, field);
    }
    return sum;
}

JNIEXPORT jlong JNICALL Java_io_chagres_bench_Jni_strlen(JNIEnv *env, jclass type, jstring string) {
    (void)type;
    const char *bytes = (*env)->GetStringUTFChars(env, string, NULL);
    jlong length = (jlong)strlen(bytes);
    (*env)->ReleaseStringUTFChars(env, string, bytes);
    return length;
}

/* Reads straight into the array; no garbage collection starts meanwhile. */
JNIEXPORT jlong JNICALL Java_io_chagres_bench_Jni_preadCritical(
        JNIEnv *env, jclass type, jint fd, jbyteArray array, jlong length, jlong position) {
    (void)type;
    void *bytes = (*env)->GetPrimitiveArrayCritical(env, array, NULL);
    jlong count = pread(fd, bytes, length, position);
    (*env)->ReleasePrimitiveArrayCritical(env, array, bytes, 0);
    return count;
}

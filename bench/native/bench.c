/* What the call benchmarks need in C: the JNI side, and functions that all ways of calling share. Never shipped. */
#define _GNU_SOURCE
#include <jni.h>
#include <stdint.h>
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

/* Copies past the caches. */
void bench_copy_streaming(char *to, const char *from, long bytes) {
    long done = 0;
#ifdef __SSE2__
    done = -(uintptr_t)to & 15;
    done = done < bytes ? done : bytes;
    memcpy(to, from, done);
    for (; done + 64 <= bytes; done += 64) {
        const __m128i *source = (const __m128i *)(from + done);
        __m128i *target = (__m128i *)(to + done);
        __m128i a = _mm_loadu_si128(source), b = _mm_loadu_si128(source + 1);
        __m128i c = _mm_loadu_si128(source + 2), d = _mm_loadu_si128(source + 3);
        _mm_stream_si128(target, a);
        _mm_stream_si128(target + 1, b);
        _mm_stream_si128(target + 2, c);
        _mm_stream_si128(target + 3, d);
    }
    _mm_sfence();
#endif
    memcpy(to + done, from + done, bytes - done);
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

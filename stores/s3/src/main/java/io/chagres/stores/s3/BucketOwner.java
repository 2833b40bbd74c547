package io.chagres.stores.s3;

import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.http.SdkHttpRequest;

/**
 * Says with every request whose bucket it is for, so that nobody who makes a bucket of that name, after it was deleted,
 * is sent a byte. Stateless.
 *
 * @param account on AWS a number of 12 digits
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucket-owner-condition.html">owner condition</a>
 */
record BucketOwner(String account) implements ExecutionInterceptor {
    @Override
    public SdkHttpRequest modifyHttpRequest(Context.ModifyHttpRequest context, ExecutionAttributes attributes) {
        return context.httpRequest().toBuilder()
                .putHeader("x-amz-expected-bucket-owner", account)
                .build();
    }
}

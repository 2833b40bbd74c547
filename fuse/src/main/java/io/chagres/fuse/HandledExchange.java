package io.chagres.fuse;

/** An exchange with what a handler gets: views of its request and one answer of each kind, made once. */
abstract class HandledExchange extends Exchange {
    final Replies replies = new Replies(this);
    final AttributeChange change = new AttributeChange(this);
    final CopyRange copy = new CopyRange(this);
    final IoctlCall ioctl = new IoctlCall(this, data);

    HandledExchange(Context context) {
        super(context);
    }
}

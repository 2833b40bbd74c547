package io.chagres.fuse;

import io.chagres.foreign.CString;
import io.chagres.foreign.Errno;
import io.chagres.fuse.wire.Abi;
import io.chagres.fuse.wire.Opcode;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * One request and its answer, with the memory of both. Header, arguments and payload of a request are three places,
 * because a transport may deliver them in different memory.
 *
 * <p>Made once and used for one request after the other. It belongs to the thread that handles the request; a handler
 * that defers its answer shares it with the thread that answers, and the last of both gives it back.
 */
abstract class Exchange {
    /** Somebody took it on himself to answer. */
    private static final int CLAIMED = 1;

    /** The answer is sent. */
    private static final int SENT = 2;

    /** The handler has returned. */
    private static final int RETURNED = 4;

    /** One in this number of requests of an operation is timed: looking at a clock costs 1% of a request. */
    private static final int TIMED = 16;

    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(Exchange.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }

    /** What an exchange asks of the session that it belongs to. */
    interface Context {
        /** Returns the time by which latencies are counted, in nanoseconds. */
        long nowNs();

        /** Says whether a feature was agreed on. */
        boolean has(FuseFeature feature);

        /** Returns the size of the structure between header and payload of a request. */
        int argumentBytes(int opcode);

        /** Returns the flags that every answer to an open has, by the features that were agreed on. */
        int openFlags(int opcode);

        /** Hears that the kernel did not take an answer. */
        void notSent(Exchange exchange, int errno, int refusal);

        /** Hears that a handler returned and neither answered nor deferred. */
        void forgotAnswer(Exchange exchange);
    }

    final Context context;
    final Request request = new Request();
    final Name name = new Name();
    final Name secondName = new Name();
    final Payload data = new Payload();
    final FileLock lock = new FileLock();
    final Attributes attributes = new Attributes();

    /** Counts by opcode; 0 holds those not known. Written by one thread at a time, read by any. */
    final long[] requests = new long[Opcode.COUNT];

    final long[] errors = new long[Opcode.COUNT];

    /** Counts of {@link LatencyHistogram} by opcode, each made when it is first needed. */
    final long[] @Nullable [] latencies = new long[Opcode.COUNT] @Nullable [];

    /** Where the arguments of the request are. */
    MemorySegment arguments = MemorySegment.NULL;

    long argumentsAt;
    long payloadAt;

    /** Where the answer goes, behind its header: handlers may write all of it. */
    MemorySegment body = MemorySegment.NULL;

    long bodyAt;
    long bodyCapacity;

    /** Nothing to answer before the first request. */
    private volatile int state = CLAIMED | SENT | RETURNED;

    private boolean deferred;

    /** The thread that handles the request, as long as a signal to its caller may interrupt it. */
    private @Nullable Thread handler;

    private boolean interruptedHandler;
    private @Nullable RequestEvent event;

    /** When the request came, if it is one whose time is taken. */
    private long begunNs;

    private boolean timed;

    Exchange(Context context) {
        this.context = context;
    }

    /** Sends an error, 0 or positive, and as much of the body as given. Returns the bytes sent, or -errno. */
    abstract long send(int error, long length);

    /** Sends memory that is not the body's, without a copy where the transport can. */
    abstract long send(MemorySegment memory, long offset, long length);

    /** Gives the exchange back after the answer and the handler's return, for the next request. */
    abstract void release();

    int opcode() {
        return request.opcode();
    }

    long node() {
        return request.node();
    }

    long argumentLong(int field) {
        return Abi.getLong(arguments, argumentsAt + field);
    }

    int argumentInt(int field) {
        return Abi.getInt(arguments, argumentsAt + field);
    }

    /** Reads how many bytes the answer may have. */
    int argumentSize(int field) {
        int size = argumentInt(field);
        if (size < 0) {
            throw new MalformedRequest(
                    Opcode.name(opcode()) + " asks for " + Integer.toUnsignedString(size) + " bytes");
        }
        return size;
    }

    /** Reads the first name of the payload. */
    Name firstName() {
        return nameAt(payloadAt, name);
    }

    /** Reads the name after the first, which was read. */
    Name nextName() {
        return nameAt(name.offset() + name.length() + 1, secondName);
    }

    /** Reads the payload from a place on as data. */
    Payload payload(long at, long length, int flags) {
        if (length < 0 || length > request.payloadEnd - at) {
            throw new MalformedRequest(Opcode.name(opcode()) + " says it has " + length + " bytes and has "
                    + Math.max(0, request.payloadEnd - at));
        }
        data.set(request.payload, at, (int) length, flags);
        return data;
    }

    private Name nameAt(long at, Name view) {
        long length = at < request.payloadEnd ? CString.length(request.payload, at, request.payloadEnd - at) : 0;
        if (at + length >= request.payloadEnd) {
            throw new MalformedRequest(Opcode.name(opcode()) + " has a name without an end");
        }
        view.set(request.payload, at, (int) length);
        return view;
    }

    /** Begins with a request that arrived. */
    void begin(@Nullable RequestEvent newEvent) {
        deferred = false;
        request.reset();
        event = newEvent;
        timed = requests[counter()] % TIMED == 0;
        if (timed) {
            begunNs = context.nowNs();
        }
        STATE.setRelease(this, 0);
    }

    /** A thread begins to handle the request, and may be interrupted. */
    synchronized void handledBy(Thread thread) {
        handler = thread;
        interruptedHandler = false;
        interruptHandler(request.unique);
    }

    /** Interrupts the thread that handles a request, once, if it is still this one and its caller got a signal. */
    synchronized void interruptHandler(long ofUnique) {
        if (handler != null && request.unique == ofUnique && request.interrupted() && !interruptedHandler) {
            interruptedHandler = true;
            handler.interrupt();
        }
    }

    /** The thread turns to other things; an interrupt of it ends here. */
    synchronized void handled() {
        handler = null;
        if (interruptedHandler) {
            Thread.interrupted();
        }
    }

    void defer() {
        if (isClaimed()) {
            throw new IllegalStateException(request + " is answered already");
        }
        deferred = true;
    }

    boolean isClaimed() {
        return (state & CLAIMED) != 0;
    }

    /** Whether the kernel still waits for the answer of this request. */
    boolean isOpen(long unique) {
        return (state & SENT) == 0 && request.unique == unique;
    }

    /** Answers a request that has no answer in the protocol. */
    void finishSilently() {
        claim();
        count(0);
        sent(0, 0);
    }

    void answerError(int errno) {
        if (errno <= 0 || errno > 511) {
            throw new IllegalArgumentException("an error number is 1 to 511, not " + errno);
        }
        claim();
        count(errno);
        sent(errno, send(errno, 0));
    }

    void answer(long length) {
        claim();
        count(0);
        sent(0, send(0, length));
    }

    void answer(MemorySegment memory, long offset, long length) {
        claim();
        count(0);
        sent(0, send(memory, offset, length));
    }

    /**
     * Ends the handler's part: a request that it neither answered nor deferred gets EIO.
     *
     * @return whether the answer is sent too, so that the exchange can take the next request
     */
    boolean handlerReturned() {
        if (!deferred) {
            if (!isClaimed()) {
                context.forgotAnswer(this);
                answerError(Errno.EIO);
            }
            STATE.setRelease(this, CLAIMED | SENT | RETURNED);
            return true;
        }
        return ((int) STATE.getAndBitwiseOr(this, RETURNED) & SENT) != 0;
    }

    private void claim() {
        int old;
        if (deferred) {
            old = (int) STATE.getAndBitwiseOr(this, CLAIMED);
        } else {
            old = (int) STATE.get(this);
            STATE.setRelease(this, old | CLAIMED);
        }
        if ((old & CLAIMED) != 0) {
            throw new IllegalStateException(request + " is answered twice");
        }
    }

    private void sent(int errno, long result) {
        if (timed) {
            countLatency();
        }
        if (result < 0) {
            context.notSent(this, errno, (int) -result);
        }
        RequestEvent begun = event;
        if (begun != null) {
            begun.finish(request, errno);
            event = null;
        }
        if (deferred) {
            int old = (int) STATE.getAndBitwiseOr(this, SENT);
            if ((old & RETURNED) != 0) {
                release();
            }
        } else {
            STATE.setRelease(this, (int) STATE.get(this) | SENT);
        }
    }

    private int counter() {
        int opcode = opcode();
        return opcode < 0 || opcode >= Opcode.COUNT ? 0 : opcode;
    }

    /** Called before the answer is sent: a caller who has got it finds it counted. */
    private void count(int errno) {
        int counter = counter();
        requests[counter]++;
        if (errno != 0) {
            errors[counter]++;
        }
    }

    private void countLatency() {
        int counter = counter();
        long[] counts = latencies[counter];
        if (counts == null) {
            counts = new long[LatencyHistogram.BUCKETS];
            latencies[counter] = counts;
        }
        counts[LatencyHistogram.bucket(context.nowNs() - begunNs)]++;
    }

    /** Copies bytes into the body. */
    void copyToBody(byte[] bytes, long offset) {
        MemorySegment.copy(bytes, 0, body, ValueLayout.JAVA_BYTE, bodyAt + offset, bytes.length);
    }
}

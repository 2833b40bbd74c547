package io.chagres.fuse.wire;

/**
 * The memory that kernel and server share for each request over io_uring, named as in linux/fuse.h: {@code struct
 * fuse_uring_req_header} beside a payload buffer, and the command data of a submission, {@code struct
 * fuse_uring_cmd_req}.
 */
public final class RingEntry {
    /** Size of fuse_uring_req_header, and its fields: fuse_in_header or fuse_out_header, arguments, and the rest. */
    public static final int BYTES = 288;

    public static final int IN_OUT = 0;
    public static final int OP_IN = 128;
    public static final int COMMIT_ID = 264;
    public static final int PAYLOAD_SZ = 272;

    /** Fields of fuse_uring_cmd_req. */
    public static final int CMD_COMMIT_ID = 8;

    public static final int CMD_QID = 16;

    /** Values of enum fuse_uring_cmd: what a submission asks for. */
    public static final int REGISTER = 1;

    public static final int COMMIT_AND_FETCH = 2;

    /** The memory that a registration points to: two iovecs, of the header and of the payload buffer. */
    public static final int REGISTER_IOVECS = 2;

    /** FUSE_MIN_READ_BUFFER, the least size of a payload buffer. */
    public static final int MIN_PAYLOAD = 8192;

    private RingEntry() {}
}

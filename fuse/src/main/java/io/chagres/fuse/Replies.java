package io.chagres.fuse;

/** One answer of each kind, all of the same exchange. */
final class Replies {
    final EmptyReply empty;
    final EntryReply entry;
    final AttributesReply attributes;
    final StatxReply statx;
    final LinkTargetReply target;
    final OpenReply open;
    final CreateReply create;
    final ReadReply read;
    final WriteReply write;
    final DirectoryReply directory;
    final DirectoryPlusReply directoryPlus;
    final XattrReply xattr;
    final XattrNamesReply xattrNames;
    final StatfsReply statfs;
    final LockReply lock;
    final LseekReply lseek;
    final BmapReply bmap;
    final IoctlReply ioctl;
    final PollReply poll;

    Replies(Exchange exchange) {
        empty = new EmptyReply(exchange);
        entry = new EntryReply(exchange);
        attributes = new AttributesReply(exchange);
        statx = new StatxReply(exchange);
        target = new LinkTargetReply(exchange);
        open = new OpenReply(exchange);
        create = new CreateReply(exchange);
        read = new ReadReply(exchange);
        write = new WriteReply(exchange);
        directory = new DirectoryReply(exchange);
        directoryPlus = new DirectoryPlusReply(exchange);
        xattr = new XattrReply(exchange);
        xattrNames = new XattrNamesReply(exchange);
        statfs = new StatfsReply(exchange);
        lock = new LockReply(exchange);
        lseek = new LseekReply(exchange);
        bmap = new BmapReply(exchange);
        ioctl = new IoctlReply(exchange);
        poll = new PollReply(exchange);
    }
}

"""What can be wrong with an archive, or with what somebody asks of it."""


class ChagresError(OSError):
    """Something of an archive cannot be read. The message says what, and why."""


class DamagedError(ChagresError):
    """An object is not what the log of its host says, or is missing.

    Attributes:
        subject: the key of the object, or the version, that it is about
        cause: what is wrong with it
    """

    def __init__(self, subject: str, cause: str):
        super().__init__(f"{subject}: {cause}")
        self.subject = subject
        self.cause = cause


class MissingObjectError(DamagedError):
    """An object that something refers to is not in the archive."""


class EncryptedError(ChagresError):
    """Something is encrypted, and no identity that was given opens it."""


class ExpiredError(ChagresError):
    """Retention removed the bytes, or the moment, that somebody asks for."""


class UntrustedError(ChagresError):
    """Something that was asked for is not covered by a signature that is trusted."""

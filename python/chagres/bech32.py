"""Keys of age as text: 32 bytes in Bech32 (BIP 173), whatever their length."""

_ALPHABET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
_GENERATOR = (0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)


def bech32(prefix: str, text: str) -> bytes:
    """Returns the 32 bytes of a key.

    Raises:
        ValueError: when the text is none with this prefix
    """
    found, _, data = text.lower().rpartition("1")
    if found != prefix or any(each not in _ALPHABET for each in data) or text not in (text.lower(), text.upper()):
        raise ValueError(f"this is no key of age ({prefix}1...)")
    values = [_ALPHABET.index(each) for each in data]
    check = 1
    for value in [ord(c) >> 5 for c in prefix] + [0] + [ord(c) & 31 for c in prefix] + values:
        top = check >> 25
        check = (check & 0x1FFFFFF) << 5 ^ value
        for bit, mask in enumerate(_GENERATOR):
            check ^= mask if top >> bit & 1 else 0
    bits = 0
    for value in values[:-6]:
        bits = bits << 5 | value
    if check != 1 or len(values) != 58 or bits & 15:
        raise ValueError("this key of age is not whole")
    return (bits >> 4).to_bytes(32, "big")

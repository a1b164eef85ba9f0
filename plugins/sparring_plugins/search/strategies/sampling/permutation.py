"""Random orders of very many numbers, in constant memory."""

from hashlib import blake2b

_ROUNDS = 4


class Permutation:
    """The numbers below `size` in a random order that `key` decides.

    A Feistel network over the bits of the number, walked until it ends below `size` (Black and
    Rogaway: ciphers with arbitrary finite domains), so that any place is found at once and none
    is remembered. `size` may be of any length.
    """

    def __init__(self, size: int, *key: object) -> None:
        self.size = size
        self._half = max(1, ((size - 1).bit_length() + 1) // 2)
        self._mask = (1 << self._half) - 1
        self._digits = (self._half + 7) // 8
        self._key = blake2b(repr(key).encode("utf-8", "surrogatepass"), digest_size=32).digest()

    def __getitem__(self, place: int) -> int:
        """The number at a place; both are below `size`."""
        number = self._once(place)
        while number >= self.size:
            number = self._once(number)
        return number

    def _once(self, number: int) -> int:
        left, right = number >> self._half, number & self._mask
        for step in range(_ROUNDS):
            left, right = right, left ^ self._mixed(step, right)
        return left << self._half | right

    def _mixed(self, step: int, half: int) -> int:
        given = half.to_bytes(self._digits, "big")
        found = b""
        while len(found) < self._digits:
            block = bytes((step, len(found) // 64 & 255)) + given
            found += blake2b(block, key=self._key, digest_size=64).digest()
        return int.from_bytes(found[: self._digits], "big") & self._mask
